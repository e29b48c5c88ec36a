import { parentPort, workerData } from 'node:worker_threads';
import { readImage, writeImage } from '../file/image.ts';
import { exportPages, openOwn, openSnapshot, pagesOf, select } from './database.ts';
import { runGuarded } from './guarded-query.ts';
import { type AnswerMessage, RefusedError, type RequestMessage, type Requests, shared } from './messages.ts';
import { collectRows, writeCsv } from './row-sinks.ts';
import { loadSqlite } from './sqlite.ts';

// A thread with one database: the one that is filled, or a snapshot for the statements of callers. A long statement never holds
// up the calls of clients.

/** Answers the requests of the main thread, one after the other. */
type Handlers = {
  readonly [Name in keyof Requests]: (args: Requests[Name]['args']) => Requests[Name]['answer'];
};

const flags = new Int32Array(workerData instanceof SharedArrayBuffer ? workerData : new SharedArrayBuffer(12));
const sqlite = await loadSqlite();
let database = openOwn(sqlite);

/** Frees the memory of the database before the next one takes as much. */
function replace(next: () => typeof database): void {
  database.close();
  database = next();
}

const handlers: Handlers = {
  open: ({ file }) => {
    const image = file === undefined ? undefined : readImage(file);
    replace(() => openOwn(sqlite, image?.bytes));
    return image;
  },
  show: ({ bytes }) => {
    replace(() => openSnapshot(sqlite, bytes));
  },
  write: ({ statements }) => {
    database.transaction(() => {
      for (const { sql, values = [] } of statements) {
        database.exec(values.length > 0 ? { sql, bind: [...values] } : { sql });
      }
    });
  },
  read: (statement) => select(database, statement),
  query: ({ maxRows, ...statement }) => {
    const sink = collectRows(maxRows);
    return { ...runGuarded(sqlite, database, statement, sink, flags), rows: sink.rows };
  },
  csv: ({ maxBytes, ...statement }) => {
    const sink = writeCsv(maxBytes);
    const result = runGuarded(sqlite, database, statement, sink, flags);
    return { ...result, csv: sink.end(result.columns), rows: sink.count(), first: sink.first };
  },
  save: ({ file, about }) => {
    writeImage(file, about, pagesOf(sqlite, database));
  },
  export: () => exportPages(sqlite, database),
};

/** SQLite found the database damaged: it is no longer used. */
const damagedCodes = new Set<unknown>([sqlite.capi.SQLITE_CORRUPT, sqlite.capi.SQLITE_NOTADB]);

function refusalOf(error: unknown): { kind: RefusedError['kind']; message: string } {
  if (error instanceof RefusedError) return { kind: error.kind, message: error.message };
  const code = error instanceof sqlite.SQLite3Error ? error.resultCode & 0xff : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return { kind: damagedCodes.has(code) ? 'damaged' : 'sql', message };
}

function answerTo({ id, name, args }: RequestMessage): AnswerMessage {
  try {
    // The main thread pairs name and arguments by their types.
    const handle = handlers[name] as (given: RequestMessage['args']) => unknown;
    return { id, answer: handle(args) };
  } catch (error) {
    return { id, refusal: refusalOf(error) };
  }
}

/** The bytes of a database or of an export, which are handed over, not copied. */
function bytesIn(answer: unknown): ArrayBuffer[] {
  const holder = typeof answer === 'object' && answer !== null ? answer : {};
  const bytes = 'csv' in holder ? holder.csv : 'bytes' in holder ? holder.bytes : holder;
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

parentPort?.on('message', (message: RequestMessage) => {
  const answer = answerTo(message);
  Atomics.store(flags, shared.megabytes, sqlite.wasm.heap8u().byteLength >> 20);
  parentPort?.postMessage(answer, 'answer' in answer ? bytesIn(answer.answer) : []);
});
