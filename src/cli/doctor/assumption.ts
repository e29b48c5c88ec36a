import type { PlatformReport } from '../../api/platform.ts';

/** A record as the API sent it, before the tolerant reading drops or converts anything. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A list as the API sent it. */
export interface RecordList {
  readonly rows: readonly JsonRecord[];
  /** Entries that are no JSON objects. */
  readonly nonRecords: number;
  readonly meta: JsonRecord;
  /** The key that holds the list; undefined for a bare list. */
  readonly key: string | undefined;
}

/** What `doctor` has read. A part is undefined if it was not read or does not exist in this academy. */
export interface PlatformData {
  readonly account: JsonRecord | undefined;
  readonly orders: RecordList | undefined;
  readonly courses: RecordList | undefined;
  readonly course: JsonRecord | undefined;
  readonly structure: JsonRecord | undefined;
  readonly students: RecordList | undefined;
  readonly details: JsonRecord | undefined;
  /** The email that `details` were asked for. */
  readonly email: string | undefined;
  readonly platform: PlatformReport;
}

/** Orders that `doctor` asks for. */
export const ordersPerPage = 20;
/** Students on a page. API document: "Limits". */
export const studentsPerPage = 50;

/** One way in which the platform differs. `isRead`: the program understands it all the same. */
export interface Difference {
  /** Without any data of students: forms, counts and names of documented fields only. */
  readonly seen: string;
  readonly isHandled: boolean;
}

/** One thing that the program takes for granted about the platform. docs/api-assumptions.md is generated from these. */
export interface Assumption {
  readonly id: string;
  readonly statement: string;
  /** What the API document leaves open, with the name of its section. */
  readonly undocumented: string;
  /** What the program does if the platform does otherwise. */
  readonly fallback: string;
  /** What a difference that cannot be read costs the user. */
  readonly impact: string;
  /** Returns undefined if nothing was read that could show it, and no difference if the assumption holds. */
  check(seen: PlatformData): readonly Difference[] | undefined;
}
