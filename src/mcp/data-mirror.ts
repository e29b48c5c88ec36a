import type { Api } from '../api/api.ts';
import type { Freshness } from '../insights/freshness.ts';
import type { SoldOrder } from '../insights/sales/sold-order.ts';

// What tools and workflows see of the mirror: a copy of the academy in a database, which src/mirror/ fills.

/** A value of a column. A whole number beyond 2^53 is text. */
export type MirrorCell = string | number | null;

export interface MirrorRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly MirrorCell[])[];
  /** There are more rows than these. */
  readonly isCut: boolean;
  /** The columns that were read, as `table.column`. */
  readonly reads: readonly string[];
}

export interface Asking {
  readonly caller: string;
  readonly signal: AbortSignal;
  /** True if another caller waits for this call to end. Waiting statements do not count. */
  readonly othersWait?: () => boolean;
}

/** What a statement returned, and what the copy that it ran on held. */
type Covered<Result> = Result & { readonly coverage: MirrorCoverage };

/** Every row of a statement, as CSV with the names of the columns. */
export interface MirrorCsv extends Omit<MirrorRows, 'rows'> {
  readonly csv: Uint8Array;
  readonly rows: number;
  /** The first rows, as they are in the table. */
  readonly first: MirrorRows['rows'];
}

export interface TableCoverage {
  readonly table: string;
  readonly rows: number;
  /** It has everything that the API counted at `compared_at`. */
  readonly complete: boolean;
  /** ISO time since which it is complete, if it is not from the beginning. */
  readonly complete_from?: string;
  /** As the API counts. */
  readonly total?: number;
  /** Every record that there was then was read, and the oldest reading of one: later changes may be missing. Absent if never read. */
  readonly new_up_to?: string;
  readonly changes_as_of?: string;
  /** When it was last compared with the API. */
  readonly compared_at?: string;
  readonly problem?: string;
}

export interface MirrorCoverage {
  readonly tables: readonly TableCoverage[];
  /** Number of orders with values that could not be read. */
  readonly unreadable: number;
  /** Days, weeks and months are in this time zone. */
  readonly timezone: string;
}

export const refreshable = ['orders', 'students', 'completions', 'catalog', 'structures', 'posts'] as const;
export type Refreshable = (typeof refreshable)[number];

export interface RefreshQuestion {
  readonly what: Refreshable;
  /** For orders: all since this moment, in milliseconds since 1970. */
  readonly since: number | undefined;
}

export interface RefreshTerms {
  readonly api: Api;
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number | undefined, message: string) => void;
}

/** Orders, each exactly as the API showed it, newest first. */
interface MirrorOrders extends Freshness {
  readonly orders: readonly SoldOrder[];
}

/** The orders of the newest part of a period. */
export interface MirrorPart extends MirrorOrders {
  /** Start of the part, in milliseconds since 1970; undefined: it is the whole period. */
  readonly from: number | undefined;
}

export interface MirrorPeople extends MirrorOrders {
  /** The people whose orders these are, by `SoldOrder.buyer`. */
  readonly buyers: ReadonlySet<string>;
}

/** Times in milliseconds since 1970; without `from`, from the beginning. */
export interface MirrorPeriod {
  readonly from: number | undefined;
  readonly to: number;
}

/** Gives records in place of the API. Undefined if it has none that are recent enough. */
export interface MirrorRecords {
  /**
   * The orders of every status in a period, as far back from its end as the mirror has all of them. `endsNow`: also those dated
   * later.
   */
  orders(period: MirrorPeriod, endsNow?: boolean): Promise<MirrorPart | undefined>;
  /** All orders of these people (`SoldOrder.buyer`), without people whose orders the mirror has only in part. */
  ordersOf(buyers: readonly string[]): Promise<MirrorPeople | undefined>;
}

export interface DataMirror {
  readonly records: MirrorRecords;
  /**
   * Runs one read-only statement of a caller. Throws `invalid_input` for any other, and for one that takes too long;
   * `rate_limited` if too many of the caller wait; `cancelled`.
   */
  query(sql: string, maxRows: number, asking: Asking): Promise<Covered<MirrorRows>>;
  /** The same with every row that fits into `maxBytes`. */
  csv(sql: string, maxBytes: number, asking: Asking): Promise<Covered<MirrorCsv>>;
  coverage(): Promise<MirrorCoverage>;
  /** Reads newer data until the deadline of a call. Returns why not everything that was due was read; undefined: it was. */
  refresh(question: RefreshQuestion, terms: RefreshTerms): Promise<string | undefined>;
}
