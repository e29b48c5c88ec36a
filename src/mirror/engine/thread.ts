import { Worker } from 'node:worker_threads';
import {
  type AnswerMessage,
  type AnswerOf,
  type ArgsOf,
  RefusedError,
  type RequestName,
  shared,
  type WorkerData,
} from './messages.ts';
import { workerFile } from './worker-file.ts';

function startWorker(workerData: WorkerData): Worker {
  const { file, execArgv } = workerFile();
  const worker = new Worker(file, {
    execArgv,
    // What it printed would be between the messages of the protocol.
    stdout: true,
    stderr: true,
    env: {},
    workerData,
    // The database is outside of this heap: what is in it is soon garbage.
    resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 },
  });
  // It exits afterwards.
  worker.on('error', () => {});
  for (const stream of [worker.stdout, worker.stderr]) stream.resume();
  worker.unref();
  return worker;
}

const ending = () => new RefusedError('ended', 'the thread of the database has ended');

/** A database in a thread of its own. Requests are answered one after the other, in their order. `memories`: shared with others. */
export function startThread(memories: readonly SharedArrayBuffer[]) {
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const worker = startWorker({ flags, memories });
  const pending = new Map<number, { resolve(answer: unknown): void; reject(reason: unknown): void }>();
  let last = 0;
  let hasEnded = false;

  worker.on('message', (message: AnswerMessage) => {
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if ('refusal' in message) waiting?.reject(new RefusedError(message.refusal.kind, message.refusal.message));
    else waiting?.resolve(message.answer);
    if (pending.size === 0) worker.unref();
  });
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      hasEnded = true;
      for (const { reject } of pending.values()) reject(ending());
      pending.clear();
      resolve();
    });
  });

  /** Throws `RefusedError`. */
  function request<Name extends RequestName>(name: Name, args: ArgsOf<Name>): Promise<AnswerOf<Name>> {
    if (hasEnded) return Promise.reject(ending());
    last += 1;
    const id = last;
    worker.ref();
    Atomics.store(flags, shared.stop, 0);
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve: (answer) => resolve(answer as AnswerOf<Name>), reject });
      worker.postMessage({ id, name, args });
    });
  }

  return {
    request,
    /** Stops the statement of a caller that runs now. */
    interrupt: () => void Atomics.store(flags, shared.stop, 1),
    /** What the database has reserved, which never shrinks. */
    megabytes: () => Atomics.load(flags, shared.megabytes),
    /** Resolves when the thread has ended, by `end` or after a failure. */
    ended,
    hasEnded: () => hasEnded,
    end: async () => {
      hasEnded = true;
      await worker.terminate();
    },
  };
}

export type Thread = ReturnType<typeof startThread>;
