import type { PlatformReport } from '../../api/platform.ts';

/** A record as the API sent it, before decoding drops or converts anything. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A list as the API sent it. */
export interface RecordList {
  readonly rows: readonly JsonRecord[];
  /** Number of entries that are not JSON objects. */
  readonly nonRecords: number;
  readonly meta: JsonRecord;
  /** The key of the list; undefined for a bare list. */
  readonly key: string | undefined;
}

/** The data that `doctor` has read. A field is undefined if it was not read or does not exist in this academy. */
export interface PlatformData {
  readonly account: JsonRecord | undefined;
  readonly orders: RecordList | undefined;
  readonly courses: RecordList | undefined;
  readonly course: JsonRecord | undefined;
  readonly structure: JsonRecord | undefined;
  readonly students: RecordList | undefined;
  readonly details: JsonRecord | undefined;
  /** The email in the request for `details`. */
  readonly email: string | undefined;
  readonly platform: PlatformReport;
}

/** Number of orders that `doctor` requests. */
export const ordersPerPage = 20;
/** Students on each page. API document: "Limits". */
export const studentsPerPage = 50;

/** One way in which the platform differs. `isHandled`: the program still reads it correctly. */
export interface Difference {
  /** Contains no student data, only shapes, counts and names of documented fields. */
  readonly found: string;
  readonly isHandled: boolean;
}

/** One assumption of the program about the platform. docs/api-assumptions.md is generated from these. */
export interface Assumption {
  readonly id: string;
  readonly statement: string;
  /** What the API document leaves open, after the name of its section. */
  readonly undocumented: string;
  /** What the program does if the assumption is wrong. */
  readonly fallback: string;
  /** The effect on the user of a difference that the program does not handle. */
  readonly impact: string;
  /** Returns undefined without data to check, and no differences if the assumption holds. */
  check(data: PlatformData): readonly Difference[] | undefined;
}
