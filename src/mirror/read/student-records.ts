import type { MirrorStudents } from '../../mcp/data-mirror.ts';
import { hourMs } from '../../shared/durations.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { readFromKey } from '../fill/students.ts';
import { type WrittenOrders, writtenKey } from '../fill/written-orders.ts';
import { studentColumns, wholeStudent } from '../rows/whole-student.ts';
import type { Store } from '../store.ts';

/** The longest time since the list was read: the filling reads it again after an hour. Milliseconds. */
const maxAgeMs = 3 * hourMs;

/** Whether the list is complete, when its first page was read, and when this program last wrote. */
const state: Statement = {
  sql: `SELECT (SELECT complete FROM sync WHERE name = 'students'),
    (SELECT value FROM fill_state WHERE key = '${readFromKey}'), (SELECT value FROM fill_state WHERE key = '${writtenKey}'),
    (SELECT count(*) FROM students) = (SELECT count(*) FROM students JOIN fill_students USING (id))`,
};

const columns = studentColumns.map((name) => `students.${name}`).join(', ');
const list: Statement = {
  sql: `SELECT rest, ${columns} FROM students JOIN fill_students USING (id) ORDER BY place, students.id`,
};

/** When the list was read, in milliseconds; undefined if it is incomplete, or was read before the last write. */
function readAt(rows: readonly (readonly Cell[])[], writtenAt: number): number | undefined {
  const [complete, readFrom, written, isWhole] = rows[0] ?? [];
  if (complete !== 1 || isWhole !== 1 || typeof readFrom !== 'string') return undefined;
  return Number(readFrom) > Math.max(writtenAt, Number(written ?? 0)) ? Number(readFrom) : undefined;
}

function studentOf([rest = null, ...cells]: readonly Cell[]) {
  return wholeStudent(Object.fromEntries(studentColumns.map((name, index) => [name, cells[index] ?? null])), rest);
}

/** Reads the whole list from the mirror, if it has all and was read after the last write of this program. */
export function createStudentRecords(store: Pick<Store, 'readTogether'>, { known }: WrittenOrders, now: () => Date) {
  return async (): Promise<MirrorStudents | undefined> => {
    const isUsable = (at: number | undefined) => at !== undefined && now().getTime() - at <= maxAgeMs;
    const [before = []] = await store.readTogether([state]);
    if (!isUsable(readAt(before, known.writtenAt))) return undefined;
    const [rows = [], after = []] = await store.readTogether([list, state]);
    const at = readAt(after, known.writtenAt);
    if (at === undefined || !isUsable(at)) return undefined;
    return { students: rows.map(studentOf), asOf: new Date(at), changesAsOf: new Date(at) };
  };
}
