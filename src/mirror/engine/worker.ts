import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { MirrorCsv, MirrorRows } from '../../mcp/data-mirror.ts';
import { csvRow, csvStart } from '../../shared/csv.ts';
import { type AboutImage, readImage, writeImage } from '../file/mirror-file.ts';
import { installVfs, loadSqlite, openImage, seal, select } from './database.ts';
import { runGuarded } from './guarded-query.ts';
import {
  type Answer,
  type Cell,
  createImage,
  RefusedError,
  type Snapshot,
  type Statement,
  type WorkerData,
} from './messages.ts';

// A thread with one database: the one that is filled, or a snapshot for callers, whose statements never hold up clients.

const { stop, memories }: WorkerData = workerData;
const sqlite = await loadSqlite();
const images = [createImage(memories[0]), createImage(memories[1])] as const;
/** In which of them the database is. */
let slot: Snapshot['slot'] = 0;
/** Whether callers read it there. */
let isShared = false;
const image = () => images[slot];
installVfs(sqlite, image);
let database = openImage(sqlite, 'c');

/** Takes the memory that callers do not read. Call it before each change. */
function part(): void {
  if (isShared) slot = slot === 0 ? 1 : 0;
  isShared = false;
}

/** Longest answer, in characters of text. */
const maxText = 400_000;

function query({ sql, maxRows }: { readonly sql: string; readonly maxRows: number }): MirrorRows {
  const rows: (readonly Cell[])[] = [];
  let length = 0;
  const take = (row: readonly Cell[]) => {
    rows.push(row);
    length += row.join('').length;
    return rows.length < maxRows && length < maxText;
  };
  return { ...runGuarded(sqlite, database, sql, take, stop), rows };
}

/** Spreadsheets show no more: 1,048,576 with the names of the columns. */
const maxCsvRows = 1_048_575;
/** Rows of an export that its answer shows. */
const firstRows = 5;
/** Characters that are encoded together. Encoded, they are outside of the heap of the thread. */
const encodedAtOnce = 2 ** 16;

function csv({ sql, maxBytes }: { readonly sql: string; readonly maxBytes: number }): MirrorCsv {
  const chunks: Uint8Array[] = [];
  const first: (readonly Cell[])[] = [];
  let [pending, bytes, rows] = ['', 0, 0];
  function encode(): void {
    bytes += chunks[chunks.push(Buffer.from(pending)) - 1]?.length ?? 0;
    pending = '';
  }
  const take = (row: readonly Cell[]) => {
    if (rows < firstRows) first.push(row);
    rows += 1;
    pending += csvRow(row);
    if (pending.length > encodedAtOnce) encode();
    return rows < maxCsvRows && bytes + pending.length < maxBytes;
  };
  const result = runGuarded(sqlite, database, sql, take, stop);
  encode();
  return { ...result, csv: Buffer.concat([Buffer.from(csvStart + csvRow(result.columns)), ...chunks]), rows, first };
}

const handlers = {
  /** Opens the database of a file, and returns its header, or an empty one. */
  open: ({ file }: { readonly file: string | undefined }) => {
    database.close();
    part();
    image().resize(0);
    const header = file === undefined ? undefined : readImage(file, image());
    database = openImage(sqlite, 'c');
    return header;
  },
  /** Makes the database a snapshot, until the next one. The next change goes to the other memory: nothing may read it now. */
  share: (_none: object): Snapshot => {
    isShared = true;
    return { slot, bytes: image().bytes().length };
  },
  /** Opens the snapshot of another thread, which statements of callers can read, and nothing can change. */
  show: (snapshot: Snapshot) => {
    database.close();
    slot = snapshot.slot;
    image().resize(snapshot.bytes);
    database = openImage(sqlite, 'r');
    seal(sqlite, database);
  },
  write: ({ statements }: { readonly statements: readonly Statement[] }) => {
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
  read: (statement: Statement) => select(database, statement),
  query,
  csv,
  save: ({ file, about, isFirst }: { readonly file: string; readonly about: AboutImage; readonly isFirst: boolean }) =>
    writeImage(file, about, image().bytes(), isFirst),
};

type Handlers = typeof handlers;
export type RequestName = keyof Handlers;
export type ArgsOf<Name extends RequestName> = Parameters<Handlers[Name]>[0];
export type AnswerOf<Name extends RequestName> = ReturnType<Handlers[Name]>;

function answerTo({ name, args }: { readonly name: RequestName; readonly args: unknown }): Answer {
  try {
    // The main thread pairs name and arguments by their types.
    const handle = handlers[name] as (input: unknown) => unknown;
    return { answer: handle(args) };
  } catch (error) {
    if (error instanceof RefusedError) return { refusal: { kind: error.kind, message: error.message } };
    const { SQLITE_CORRUPT, SQLITE_NOTADB } = sqlite.capi;
    const code = error instanceof sqlite.SQLite3Error ? error.resultCode & 0xff : undefined;
    const message = error instanceof Error ? error.message : String(error);
    return { refusal: { kind: code === SQLITE_CORRUPT || code === SQLITE_NOTADB ? 'damaged' : 'sql', message } };
  }
}

const onMessage = (message: Parameters<typeof answerTo>[0]) => parentPort?.postMessage(answerTo(message));

// Node.js waits for the compiler of WebAssembly before the first event, about 100 ms: answer what came before that.
const received = parentPort && receiveMessageOnPort(parentPort);
if (received) onMessage(received.message);
parentPort?.on('message', onMessage);
