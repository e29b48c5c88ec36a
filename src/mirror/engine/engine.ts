import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type {
  AnswerMessage,
  CsvLimits,
  CsvResult,
  QueryLimits,
  QueryResult,
  RequestName,
  Requests,
  StatementLimits,
} from './messages.ts';
import { RefusedError } from './refused-error.ts';

/** The database, in a thread of its own. Requests are answered one after the other, in their order. */
export interface Engine {
  request<Name extends RequestName>(name: Name, args: Requests[Name]['args']): Promise<Requests[Name]['answer']>;
  /** Runs one read-only statement. Throws `RefusedError` for anything else, and for one that takes too long. */
  query(sql: string, limits: QueryLimits): Promise<QueryResult>;
  /** The same, with every row, as CSV. */
  csv(sql: string, limits: CsvLimits): Promise<CsvResult>;
  /** Resolves when the thread has ended, by `close` or after a failure. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * A statement that is not stopped in its time is stuck in a single step. Its thread is ended once it has shown no sign of life for
 * so long. The limits of statements leave no such step, and a busy machine is slow but shows signs. Milliseconds.
 */
const defaultSilenceMs = 5_000;
const lookMs = 100;

/** Lets a thread load TypeScript: `--import tsx` alone has no effect in one. */
function loadTypeScript(): string[] {
  const tsx = new URL('./esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx')));
  return ['--import', `data:text/javascript,import{register}from${JSON.stringify(tsx.href)};register()`];
}

/** In the bundle, the worker is a file beside this one. */
function startWorker(pulse: SharedArrayBuffer): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const file = new URL(isSource ? './worker.ts' : './mirror-worker.js', import.meta.url);
  // What it printed would be between the messages of the protocol.
  return new Worker(file, {
    execArgv: isSource ? loadTypeScript() : [],
    stdout: true,
    stderr: true,
    env: {},
    workerData: pulse,
    // The database is outside of this heap: what is in it is soon garbage.
    resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 },
  });
}

interface Pending {
  resolve(answer: unknown): void;
  reject(reason: unknown): void;
}

const restarted = () =>
  new RefusedError({ kind: 'limit', message: 'the statement took too long, and its thread was ended' });

/** An exported database is handed over, not copied. */
function exportedIn(args: object): ArrayBuffer[] {
  const exported = 'exported' in args && args.exported;
  return exported instanceof Uint8Array && exported.buffer instanceof ArrayBuffer ? [exported.buffer] : [];
}

export function startEngine(): Engine {
  // The thread adds to it while a statement runs.
  const pulse = new Int32Array(new SharedArrayBuffer(4));
  const worker = startWorker(pulse.buffer);
  const pending = new Map<number, Pending>();
  let last = 0;
  let hasEnded = false;

  function failAll(reason: Error): void {
    for (const { reject } of pending.values()) reject(reason);
    pending.clear();
  }

  worker.on('message', (message: AnswerMessage) => {
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if ('refusal' in message) waiting?.reject(new RefusedError(message.refusal));
    else waiting?.resolve(message.answer);
    if (pending.size === 0) worker.unref();
  });
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      hasEnded = true;
      failAll(restarted());
      resolve();
    });
  });
  worker.on('error', (error) => failAll(error));
  for (const stream of [worker.stdout, worker.stderr]) stream.resume();
  worker.unref();

  /** Ends the thread if a statement is stuck. Returns the function that ends the watch. */
  function watchStatement({ timeMs, silenceMs = defaultSilenceMs }: StatementLimits): () => void {
    const start = performance.now();
    let last = { beats: Atomics.load(pulse, 0), at: start };
    const watch = setInterval(() => {
      const beats = Atomics.load(pulse, 0);
      const now = performance.now();
      if (beats !== last.beats) last = { beats, at: now };
      if (now - start > timeMs && now - last.at > silenceMs) void worker.terminate();
    }, lookMs);
    return () => clearInterval(watch);
  }

  const request: Engine['request'] = (name, args) => {
    if (hasEnded) return Promise.reject(restarted());
    last += 1;
    const id = last;
    worker.ref();
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve: (answer) => resolve(answer as Requests[typeof name]['answer']), reject });
      worker.postMessage({ id, name, args }, exportedIn(args));
    });
  };

  async function watched<Answer>(limits: StatementLimits, ask: () => Promise<Answer>): Promise<Answer> {
    // The time begins when the requests before it are answered.
    await request('memory', {});
    const endWatch = watchStatement(limits);
    return await ask().finally(endWatch);
  }

  return {
    request,
    query: (sql, limits) => watched(limits, () => request('query', { sql, ...limits })),
    csv: (sql, limits) => watched(limits, () => request('csv', { sql, ...limits })),
    ended,
    close: async () => {
      await worker.terminate();
    },
  };
}
