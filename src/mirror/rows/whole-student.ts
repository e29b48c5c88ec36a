import type * as students from '../../contract/students.ts';
import type { StudentItem } from '../../insights/students/select-students.ts';
import { isObject } from '../../shared/json.ts';
import type { Cell } from '../engine/messages.ts';

// A student from the row, exactly as the list of the API showed it: what the row does not say is stored beside it.

const flag = (cell: Cell) => cell === 1;
const same = (cell: Cell) => cell;

/** The columns of `students` with a field of the API, and what makes its value of a cell. */
const fields = {
  id: same,
  name: same,
  email: same,
  created_at: same,
  location: same,
  enrolled: flag,
  admin: flag,
  is_active: flag,
  sign_in_count: same,
  points: same,
  completion_percent: same,
} satisfies Partial<Record<keyof typeof students.student.shape, (cell: Cell) => unknown>>;

export const studentColumns = Object.keys(fields);

type Fields = Readonly<Record<string, unknown>>;

function fieldsOfRow(row: Readonly<Record<string, Cell>>): Fields {
  const given = Object.entries(fields).filter(([name]) => row[name] !== null && row[name] !== undefined);
  return Object.fromEntries(given.map(([name, fieldOf]) => [name, fieldOf(row[name] ?? null)]));
}

/** What the row of a student does not say, as JSON; null if it says everything. `row`: the cells by column. */
export function restOfStudent(student: StudentItem, row: Readonly<Record<string, Cell>>): string | null {
  const shown: Fields = student;
  const stored = fieldsOfRow(row);
  const others = studentColumns.filter((name) => shown[name] !== stored[name]);
  if (others.length === 0) return null;
  const lacking = others.filter((name) => shown[name] === undefined);
  return JSON.stringify([Object.fromEntries(others.map((name) => [name, shown[name]])), lacking]);
}

/** The student of a row: the fields that lists show. `rest`: what `restOfStudent` returned. */
export function wholeStudent(row: Readonly<Record<string, Cell>>, rest: Cell): StudentItem {
  const [others, lacking]: unknown[] = typeof rest === 'string' ? JSON.parse(rest) : [{}, []];
  const all = { ...fieldsOfRow(row), ...(isObject(others) ? others : {}) };
  const shown = Object.entries(all).filter(([name]) => !(Array.isArray(lacking) && lacking.includes(name)));
  // Its values are those that the API sent.
  return Object.fromEntries(shown) as StudentItem;
}
