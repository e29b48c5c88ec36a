import type { Sandbox } from '../../src/sandbox/index.ts';

export type Academy = Sandbox['academy'];

/** One tool call, its main request, and a count from the sandbox's state of how often it was done. */
export interface ToolOperation {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** The start of the path of that request. */
  readonly path: string;
  /** 0 before it is done, 1 after, more if it was duplicated. Always 0 for a read. */
  readonly count: () => number;
}

/** Makes an operation that has not been done yet. Its names and texts contain `tag`. */
export type Maker = (academy: Academy, tag: string, used: Set<object>) => ToolOperation;

/** The first matching record that no other operation uses. */
export function fresh<Row extends object>(
  rows: readonly Row[],
  used: Set<object>,
  fits: (row: Row) => boolean = () => true,
): Row {
  const found = rows.find((row) => !used.has(row) && fits(row));
  if (found === undefined) throw new Error('the seeded data hold too few records for so many cases');
  used.add(found);
  return found;
}

export function firstCourse(academy: Academy) {
  const course = academy.catalogue.courses.all().find((other) => !other.is_challenge && other.is_published);
  if (course === undefined) throw new Error('the seeded data hold no course');
  return course;
}

export const heldBy = (academy: Academy, studentId: number) =>
  academy.orders.ofStudent(studentId).flatMap((order) => [...order.courses]);
