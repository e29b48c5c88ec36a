import type { MirrorStudents } from '../../mcp/data-mirror.ts';
import { hourMs } from '../../shared/durations.ts';
import type { Cell } from '../engine/messages.ts';
import { writtenKey } from '../fill/order-windows.ts';
import { readFromKey } from '../fill/students.ts';
import type { WrittenOrders } from '../fill/written-orders.ts';
import { studentColumns, wholeStudent } from '../rows/whole-student.ts';
import type { Store } from '../store.ts';
import { type LongList, readParts } from './read-parts.ts';

/** The longest time since the list was read: the filling reads it again after an hour. Milliseconds. */
const maxAgeMs = 3 * hourMs;

/** Whether the list is complete, when its first page was read, and when this program last wrote. */
const state = `SELECT (SELECT complete FROM sync WHERE name = 'students'),
  (SELECT value FROM fill_state WHERE key = '${readFromKey}'), (SELECT value FROM fill_state WHERE key = '${writtenKey}'),
  (SELECT count(*) FROM students) = (SELECT count(*) FROM students JOIN fill_students USING (id))`;

/** In the order of the API. */
const list: LongList = {
  columns: ['place', 'students.id', 'rest', ...studentColumns.map((name) => `students.${name}`)],
  after: ([place = -1, id = 0] = [], size) => ({
    sql: `FROM fill_students JOIN students USING (id) WHERE (place, students.id) > (?, ?) ORDER BY place, students.id LIMIT ?`,
    values: [place, id, size],
  }),
};

/** When the list was read, in milliseconds; undefined if it is incomplete, or was read before the last write. */
function readAt([complete, readFrom, written, isWhole]: readonly Cell[], writtenAt: number): number | undefined {
  if (complete !== 1 || isWhole !== 1 || typeof readFrom !== 'string') return undefined;
  return Number(readFrom) > Math.max(writtenAt, Number(written ?? 0)) ? Number(readFrom) : undefined;
}

function studentOf([rest = null, ...cells]: readonly Cell[]) {
  return wholeStudent(Object.fromEntries(studentColumns.map((name, index) => [name, cells[index] ?? null])), rest);
}

/** Reads the whole list from the mirror, if it has all and was read after the last write of this program. */
export function createStudentRecords(store: Pick<Store, 'together'>, { known }: WrittenOrders, now: () => Date) {
  return async (): Promise<MirrorStudents | undefined> => {
    return await store.together(async (read) => {
      const [row = []] = await read(state);
      const at = readAt(row, known.writtenAt);
      if (at === undefined || now().getTime() - at > maxAgeMs) return undefined;
      const students = await readParts({ read }, list, studentOf);
      return { students, newUpTo: new Date(at), changesAsOf: new Date(at) };
    });
  };
}
