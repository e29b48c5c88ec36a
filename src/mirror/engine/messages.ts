// What the main thread and the threads of the databases say to each other.

/** A value of a column, as SQLite has it. A whole number beyond 2^53 is text. */
export type Cell = string | number | null;

/** A statement of this program. Its parameters are bound by position. */
export interface Statement {
  readonly sql: string;
  readonly values?: readonly Cell[];
}

export interface StatementLimits {
  /** Longest running time in milliseconds. */
  readonly timeMs: number;
}

export interface QueryLimits extends StatementLimits {
  readonly maxRows: number;
}

export interface CsvLimits extends StatementLimits {
  readonly maxBytes: number;
}

/** The result of a read-only statement. */
export interface QueryResult {
  /** Names of the columns; a name that occurs twice gets a number. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** There are more rows than these. */
  readonly isCut: boolean;
  /** Number of values that were shortened. */
  readonly shortened: number;
  /** The columns that the statement reads, as `table.column`; at least `table.` for each table that it opens. */
  readonly reads: readonly string[];
}

/** The whole result of a read-only statement, as CSV. `rows` counts them. */
export interface CsvResult extends Omit<QueryResult, 'rows'> {
  readonly csv: Uint8Array;
  readonly rows: number;
  readonly first: readonly (readonly Cell[])[];
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

export type AboutImage = Pick<ImageHeader, 'schema' | 'baseUrl' | 'timezone' | 'savedAt'>;

/** The requests to a thread, by name: arguments and answer. */
export interface Requests {
  /** Opens the database to fill: that of a file, or an empty one. Answers with what the file holds, if it is of this format. */
  open: { args: { file?: string }; answer: { header: ImageHeader; bytes: Uint8Array } | undefined };
  /** Opens a snapshot, which nothing can change. */
  show: { args: { bytes: Uint8Array }; answer: undefined };
  /** Runs statements in one transaction. */
  write: { args: { statements: readonly Statement[] }; answer: undefined };
  /** Runs a reading statement of this program. */
  read: { args: Statement; answer: readonly (readonly Cell[])[] };
  /** Runs a statement of a caller. */
  query: { args: { sql: string } & QueryLimits; answer: QueryResult };
  /** The same, with every row, as CSV. */
  csv: { args: { sql: string } & CsvLimits; answer: CsvResult };
  /** Writes the database to a new file, which is on disk when this answers. */
  save: { args: { file: string; about: AboutImage }; answer: undefined };
  /** The bytes of the database. */
  export: { args: object; answer: Uint8Array };
}

export type RequestName = keyof Requests;

export interface RequestMessage<Name extends RequestName = RequestName> {
  readonly id: number;
  readonly name: Name;
  readonly args: Requests[Name]['args'];
}

export type AnswerMessage =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly refusal: { readonly kind: RefusalKind; readonly message: string } };

/** The places of the memory that a thread shares with the main one: its signs of life, whether to stop, and its memory in MB. */
export const shared = { beats: 0, stop: 1, megabytes: 2 } as const;
