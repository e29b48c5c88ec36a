// What the main thread and the worker of the database say to each other.

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
  /** How long a statement may show no sign of life, in milliseconds, before its thread is ended. Default: 5,000. */
  readonly silenceMs?: number;
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
  /** The columns that the statement reads, as `table.column`. */
  readonly reads: readonly string[];
}

/** The whole result of a read-only statement, as CSV. `rows` counts them. */
export interface CsvResult extends Omit<QueryResult, 'rows'> {
  readonly csv: Uint8Array;
  readonly rows: number;
  readonly first: readonly (readonly Cell[])[];
}

/** Why the database refused a statement. `sql`: SQLite does not understand it. `limit`: it takes too long or too much. */
export type RefusalKind = 'sql' | 'read_only' | 'limit' | 'damaged';

export interface Refusal {
  readonly kind: RefusalKind;
  readonly message: string;
}

/** What the header of a mirror file says. */
export interface ImageHeader {
  readonly format: number;
  readonly schema: number;
  /** The academy that the data are of. */
  readonly baseUrl: string;
  /** The time zone in which days, weeks and months were computed. */
  readonly timezone: string;
  readonly savedAt: string;
  /** Number of pages, and the digest of their digests. */
  readonly pages: number;
  readonly sha256: string;
}

/** The requests to the worker, by name: arguments and answer. */
export interface Requests {
  /** Opens a database: empty, of a file, or as exported. Answers with the header of the file. */
  open: { args: { file?: string; isReadOnly?: boolean; exported?: Uint8Array }; answer: ImageHeader | undefined };
  /** Runs statements in one transaction. Answers with the bytes of all changes that are in no file. */
  write: { args: { statements: readonly Statement[] }; answer: number };
  /** Runs a reading statement of this program. */
  read: { args: Statement; answer: readonly (readonly Cell[])[] };
  /** Runs a statement of a stranger. */
  query: { args: { sql: string } & QueryLimits; answer: QueryResult };
  /** The same, with every row, as CSV. */
  csv: { args: { sql: string } & CsvLimits; answer: CsvResult };
  /** Writes the database to a new file, which is on disk when this answers. */
  save: {
    args: { file: string; about: Pick<ImageHeader, 'schema' | 'baseUrl' | 'timezone' | 'savedAt'> };
    answer: ImageHeader;
  };
  /** The bytes of the database. */
  export: { args: object; answer: Uint8Array };
  /** Bytes of memory that the engine has reserved. */
  memory: { args: object; answer: number };
}

export type RequestName = keyof Requests;

export interface RequestMessage<Name extends RequestName = RequestName> {
  readonly id: number;
  readonly name: Name;
  readonly args: Requests[Name]['args'];
}

export type AnswerMessage =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly refusal: Refusal };
