import type { PlatformReport } from '../../api/platform.ts';

/** A record as the API sent it, before the tolerant reading drops or converts anything. */
export type Row = Readonly<Record<string, unknown>>;

/** A list as the API sent it. */
export interface Listed {
  readonly rows: readonly Row[];
  /** Entries that are no JSON objects. */
  readonly strange: number;
  readonly meta: Row;
  /** The key that holds the list; undefined for a bare list. */
  readonly key: string | undefined;
}

/** What `doctor` has read. A part is undefined if it was not read or does not exist in this academy. */
export interface Seen {
  readonly account: Row | undefined;
  readonly orders: Listed | undefined;
  readonly courses: Listed | undefined;
  readonly course: Row | undefined;
  readonly structure: Row | undefined;
  readonly students: Listed | undefined;
  readonly details: Row | undefined;
  /** The email that `details` were asked for. */
  readonly email: string | undefined;
  readonly platform: PlatformReport;
}

/** Orders that `doctor` asks for. */
export const ordersAsked = 20;
/** Students on a page. API document: "Limits". */
export const studentsAPage = 50;

/** One way in which the platform differs. `isRead`: the program understands it all the same. */
export interface Difference {
  /** Without any data of students: forms, counts and names of documented fields only. */
  readonly seen: string;
  readonly isRead: boolean;
}

/** One thing that the program takes for granted about the platform. docs/api-assumptions.md is generated from these. */
export interface Assumption {
  readonly id: string;
  readonly assumed: string;
  /** What the API document leaves open, with the name of its section. */
  readonly silent: string;
  /** What the program does if the platform does otherwise. */
  readonly otherwise: string;
  /** What a difference that cannot be read costs the user. */
  readonly costs: string;
  /** Returns undefined if nothing was read that could show it, and no difference if the assumption holds. */
  check(seen: Seen): readonly Difference[] | undefined;
}
