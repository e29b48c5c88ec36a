import { Worker } from 'node:worker_threads';
import { type Answer, type Memories, RefusedError, type WorkerData } from './messages.ts';
import type { AnswerOf, ArgsOf, RequestName } from './worker.ts';
import { workerFile } from './worker-file.ts';

const ending = () => new RefusedError('ended', 'the thread of the database has ended');

/** A database in a thread of its own. Requests are answered one after the other, in their order. `memories`: shared with others. */
export function startThread(memories: Memories) {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WorkerData = { stop, memories };
  const { file, ...options } = workerFile();
  const worker = new Worker(file, {
    ...options,
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
  const pending: { resolve(answer: unknown): void; reject(reason: unknown): void }[] = [];
  let hasEnded = false;

  worker.on('message', (message: Answer) => {
    const waiting = pending.shift();
    if ('refusal' in message) waiting?.reject(new RefusedError(message.refusal.kind, message.refusal.message));
    else waiting?.resolve(message.answer);
    if (pending.length === 0) worker.unref();
  });
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      hasEnded = true;
      for (const { reject } of pending.splice(0)) reject(ending());
      resolve();
    });
  });

  return {
    /** Throws `RefusedError`. */
    request: <Name extends RequestName>(name: Name, args: ArgsOf<Name>): Promise<AnswerOf<Name>> => {
      if (hasEnded) return Promise.reject(ending());
      worker.ref();
      Atomics.store(stop, 0, 0);
      return new Promise((resolve, reject) => {
        pending.push({ resolve: (answer) => resolve(answer as AnswerOf<Name>), reject });
        worker.postMessage({ name, args });
      });
    },
    /** Stops the statement of a caller that runs now. */
    interrupt: () => void Atomics.store(stop, 0, 1),
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
