import { parentPort } from 'node:worker_threads';
import { createDatabase } from './database.ts';
import type { AnswerMessage, Refusal, RequestMessage } from './messages.ts';
import { RefusedError } from './refused-error.ts';

// The thread of the database: a long statement never holds up the calls of clients.

const ready = createDatabase();

function refusalOf(error: unknown): Refusal {
  if (error instanceof RefusedError) return { kind: error.kind, message: error.message };
  return { kind: 'sql', message: error instanceof Error ? error.message : String(error) };
}

type Opened = Awaited<ReturnType<typeof createDatabase>>;

function answerTo({ handlers, takeFailure }: Opened, { id, name, args }: RequestMessage): AnswerMessage {
  try {
    // The main thread pairs name and arguments by their types.
    const handle = handlers[name] as (given: RequestMessage['args']) => unknown;
    const answer = handle(args);
    const failure = takeFailure();
    return failure === undefined ? { id, answer } : { id, refusal: refusalOf(failure) };
  } catch (error) {
    return { id, refusal: refusalOf(takeFailure() ?? error) };
  }
}

/** The bytes of a database or of an export, which are handed over, not copied. */
function bytesIn(answer: unknown): ArrayBuffer[] {
  const bytes = typeof answer === 'object' && answer !== null && 'csv' in answer ? answer.csv : answer;
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

parentPort?.on('message', async (message: RequestMessage) => {
  const answer = answerTo(await ready, message);
  parentPort?.postMessage(answer, 'answer' in answer ? bytesIn(answer.answer) : []);
});
