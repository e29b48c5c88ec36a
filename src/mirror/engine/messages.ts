import type { MirrorCell, MirrorCsv, MirrorRows } from '../../mcp/data-mirror.ts';

// What the main thread and the threads of the databases say to each other.

export type Cell = MirrorCell;

/** A statement of this program. Its parameters are bound by position. */
export interface Statement {
  readonly sql: string;
  readonly values?: readonly Cell[];
}

/**
 * Why the database refused. `sql`: the statement is wrong; `slow`, `large`: it takes too long or too much; `stopped`: it was
 * interrupted from outside; `ended`: its thread has ended; `damaged`: the database is.
 */
export type RefusalKind = 'sql' | 'read_only' | 'slow' | 'large' | 'stopped' | 'ended' | 'damaged';

/** The database refused a statement or an image. The message is for the person who wrote the statement. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** What the header of a mirror file says. */
export interface ImageHeader {
  /** The version of the tables. */
  readonly schema: number;
  /** The academy that the data are of. */
  readonly baseUrl: string;
  /** The time zone in which days, weeks and months were computed. */
  readonly timezone: string;
  readonly savedAt: string;
  /** Length of the database. */
  readonly bytes: number;
  readonly sha256: string;
}

export type AboutImage = Omit<ImageHeader, 'bytes' | 'sha256'>;

/** The largest database. Bytes. */
export const maxBytes = 2 ** 31 - 1;

/** Memory for a database and its snapshot. Each grows in place, since a larger copy would need as much again. */
export const createMemories = () => [0, 1].map(() => new SharedArrayBuffer(0, { maxByteLength: maxBytes }));

/** The bytes of a database, in such a memory. */
export function createImage(memory: SharedArrayBuffer) {
  // It grows with its memory.
  const bytes = new Uint8Array(memory);
  let length = 0;
  return {
    bytes: (from = 0, to = length): Uint8Array => bytes.subarray(Math.min(from, length), Math.min(to, length)),
    resize: (to: number) => {
      if (to > memory.byteLength) memory.grow(to);
      length = to;
    },
  };
}

export type Image = ReturnType<typeof createImage>;

/** A snapshot: in which of the memories it is, and its length. */
export interface Snapshot {
  readonly place: number;
  readonly bytes: number;
}

/** The requests to a thread, which has one database. */
export interface Requests {
  /** Opens the database of a file, or an empty one. Returns the header of the file, if it is of this format. */
  open(args: { file?: string }): ImageHeader | undefined;
  /** Makes the database a snapshot, until the next one: the next change goes to the other memory, which nothing may read now. */
  share(args: object): Snapshot;
  /** Opens the snapshot of another thread, which statements of callers can read, and nothing can change. */
  show(args: Snapshot): void;
  /** Runs statements in one transaction. */
  write(args: { statements: readonly Statement[] }): void;
  /** Runs a reading statement of this program. */
  read(args: Statement): readonly (readonly Cell[])[];
  /** Runs a statement of a caller. `timeMs`: the longest running time in milliseconds. */
  query(args: { sql: string; timeMs: number; maxRows: number }): MirrorRows;
  /** The same, with every row, as CSV. */
  csv(args: { sql: string; timeMs: number; maxBytes: number }): MirrorCsv;
  /** Writes the database to a new file, which is on disk when this returns. */
  save(args: { file: string; about: AboutImage }): void;
}

export type RequestName = keyof Requests;
export type ArgsOf<Name extends RequestName> = Parameters<Requests[Name]>[0];
export type AnswerOf<Name extends RequestName> = ReturnType<Requests[Name]>;

export interface RequestMessage {
  readonly id: number;
  readonly name: RequestName;
  readonly args: ArgsOf<RequestName>;
}

export type AnswerMessage = { readonly id: number } & (
  | { readonly answer: unknown }
  | { readonly refusal: { readonly kind: RefusalKind; readonly message: string } }
);

/** What a thread starts with. */
export interface WorkerData {
  readonly flags: Int32Array;
  readonly memories: readonly SharedArrayBuffer[];
}

/** The places of the memory that a thread shares with the main one: whether to stop, and its memory in MB. */
export const shared = { stop: 0, megabytes: 1 } as const;
