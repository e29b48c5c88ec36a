import type { StudentItem } from '../../insights/students/select-students.ts';
import type { Cell } from '../engine/messages.ts';
import { type Calendar, emailCells, type Row, restOf, rowOf, withRest } from './rows.ts';

// The row of a student, and the student that it describes.

const flags = ['enrolled', 'admin', 'is_active'];

/** The columns with a field of the API. */
export const studentColumns = [
  ...['id', 'name', 'email', 'created_at', 'location', 'sign_in_count', 'points', 'completion_percent'],
  ...flags,
] as const;

/** The student that a row describes. `row`: the cells of `studentColumns`. */
function restored(row: readonly Cell[]): StudentItem {
  const fields = studentColumns.flatMap((name, index) => {
    const cell = row[index] ?? null;
    return cell === null ? [] : [[name, flags.includes(name) ? cell === 1 : cell]];
  });
  // The cells were made of values with these types.
  return Object.fromEntries(fields) as StudentItem;
}

export const studentOf = ([rest = null, ...row]: readonly Cell[]) => withRest(restored(row), rest);

/** The row, and what it does not say. */
export function studentRow(student: StudentItem, calendar: Calendar): { row: Row; rest: string | null } {
  const row = { ...rowOf(student), ...emailCells(student.email), ...calendar(student.created_at) };
  const shown = Object.entries(student).filter(([name]) => studentColumns.some((column) => column === name));
  return { row, rest: restOf(Object.fromEntries(shown), restored(studentColumns.map((name) => row[name] ?? null))) };
}
