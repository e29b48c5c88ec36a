import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { csvRow, csvStart } from '../../shared/csv.ts';
import { readImage, writeImage } from '../file/image.ts';
import { installVfs, loadSqlite, openImage, seal, select } from './database.ts';
import { type RowSink, runGuarded } from './guarded-query.ts';
import {
  type AnswerMessage,
  type ArgsOf,
  type Cell,
  createImage,
  type Image,
  RefusedError,
  type RequestMessage,
  type Requests,
  shared,
  type WorkerData,
} from './messages.ts';

// A thread with one database: the one that is filled, or a snapshot for the statements of callers. A long statement never holds
// up the calls of clients.

const { flags, memories }: WorkerData = workerData;
const sqlite = await loadSqlite();
const images = memories.map((memory) => createImage(memory));
/** In which of them the database is. */
let place = 0;
/** Whether callers read it there. */
let isShared = false;

function imageAt(at: number): Image {
  const image = images[at];
  if (image === undefined) throw new Error('there is no such memory');
  return image;
}

/** Takes the memory that callers do not read. Call it before each change. */
function part(): void {
  if (isShared) place = 1 - place;
  isShared = false;
}

const image = () => imageAt(place);
installVfs(sqlite, image);
let database = openImage(sqlite, 'c');
const run = (args: { sql: string; timeMs: number }, sink: RowSink) => runGuarded(sqlite, database, args, sink, flags);

/** Longest answer, in characters of text, and longest text of a cell in bytes. */
const maxText = 400_000;
const maxCell = 4_000;
const textLength = (row: readonly Cell[]) =>
  row.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0);

function query({ maxRows, ...statement }: ArgsOf<'query'>) {
  const rows: (readonly Cell[])[] = [];
  let length = 0;
  const take = (row: readonly Cell[]) => {
    rows.push(row);
    length += textLength(row);
    return rows.length < maxRows && length < maxText;
  };
  return { ...run(statement, { maxCell, take }), rows };
}

/** Spreadsheets show no more: 1,048,576 with the names of the columns. */
const maxCsvRows = 1_048_575;
/** SQLite makes no longer text here. Bytes. */
const maxCsvCell = 30_000;
/** Rows of an export that its answer shows. */
const firstRows = 5;
/** Characters that are encoded together. Encoded, they are outside of the heap of the thread. */
const encodedAtOnce = 2 ** 16;

function csv({ maxBytes, ...statement }: ArgsOf<'csv'>) {
  const chunks: Uint8Array[] = [];
  const first: (readonly Cell[])[] = [];
  let pending = '';
  let bytes = 0;
  let rows = 0;
  function encode(): void {
    const chunk = Buffer.from(pending);
    bytes += chunk.length;
    chunks.push(chunk);
    pending = '';
  }
  const take = (row: readonly Cell[]) => {
    if (rows < firstRows) first.push(row);
    rows += 1;
    pending += csvRow(row);
    if (pending.length > encodedAtOnce) encode();
    return rows < maxCsvRows && bytes + pending.length < maxBytes;
  };
  const result = run(statement, { maxCell: maxCsvCell, take });
  encode();
  const head = Buffer.from(csvStart + csvRow(result.columns));
  // Memory of its own, which can be handed over.
  const whole = new Uint8Array(head.length + bytes);
  let at = 0;
  for (const chunk of [head, ...chunks]) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return { ...result, csv: whole, rows, first };
}

/** Answers the requests of the main thread, one after the other. */
const handlers: Requests = {
  open: ({ file }) => {
    database.close();
    part();
    image().resize(0);
    const header = file === undefined ? undefined : readImage(file, image());
    database = openImage(sqlite, 'c');
    return header;
  },
  share: () => {
    isShared = true;
    return { place, bytes: image().bytes().length };
  },
  show: ({ place: at, bytes }) => {
    database.close();
    place = at;
    image().resize(bytes);
    database = openImage(sqlite, 'r');
    seal(sqlite, database);
  },
  write: ({ statements }) => {
    if (isShared) {
      const bytes = image().bytes();
      part();
      image().resize(bytes.length);
      image().bytes().set(bytes);
    }
    database.transaction(() => {
      for (const { sql, values = [] } of statements) {
        database.exec(values.length > 0 ? { sql, bind: [...values] } : { sql });
      }
    });
  },
  read: (statement) => select(database, statement),
  query,
  csv,
  save: ({ file, about }) => writeImage(file, about, image().bytes()),
};

/** SQLite found the database damaged: it is no longer used. */
const damagedCodes = new Set<unknown>([sqlite.capi.SQLITE_CORRUPT, sqlite.capi.SQLITE_NOTADB]);

function answerTo({ id, name, args }: RequestMessage): AnswerMessage {
  try {
    // The main thread pairs name and arguments by their types.
    const handle = handlers[name] as (given: RequestMessage['args']) => unknown;
    return { id, answer: handle(args) };
  } catch (error) {
    if (error instanceof RefusedError) return { id, refusal: { kind: error.kind, message: error.message } };
    const code = error instanceof sqlite.SQLite3Error ? error.resultCode & 0xff : undefined;
    const message = error instanceof Error ? error.message : String(error);
    return { id, refusal: { kind: damagedCodes.has(code) ? 'damaged' : 'sql', message } };
  }
}

function onMessage(message: RequestMessage): void {
  const answer = answerTo(message);
  Atomics.store(flags, shared.megabytes, sqlite.wasm.heap8u().byteLength >> 20);
  parentPort?.postMessage(answer);
}

// Node.js waits for the compiler of WebAssembly before the first event, about 100 ms: what came before is answered meanwhile.
for (
  let next = parentPort && receiveMessageOnPort(parentPort);
  next;
  next = parentPort && receiveMessageOnPort(parentPort)
) {
  onMessage(next.message);
}
parentPort?.on('message', onMessage);
