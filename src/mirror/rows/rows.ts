import { timeOf } from '../../insights/api-time.ts';
import { isoTime } from '../../insights/period.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { dayMs } from '../../shared/durations.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { columnsOf } from '../schema/tables.ts';

/** Cells by the name of their column. */
export type Row = Readonly<Record<string, Cell>>;

/** Fills created_at, created_ms, day, week and month. */
export type Calendar = (written: string | undefined) => Row;

/** `2026-W46` of a day such as `2026-11-09`, by ISO 8601: a week belongs to the year of its Thursday. */
function weekOf(day: string): string {
  const moment = Date.parse(`${day}T00:00:00Z`);
  const weekday = (new Date(moment).getUTCDay() + 6) % 7;
  const thursday = new Date(moment + (3 - weekday) * dayMs);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / (7 * dayMs)) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

/** The calendar of one time zone. */
export function createCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const known = new Map<string, Row>();

  function dayOf(at: number): Row {
    const day = format.format(at);
    const cells = known.get(day) ?? { day, week: weekOf(day), month: day.slice(0, 7) };
    known.set(day, cells);
    return cells;
  }

  return (written) => {
    const at = timeOf(written);
    if (at === undefined) return { created_at: written?.slice(0, 40) ?? null };
    return { created_at: isoTime(at), created_ms: at, ...dayOf(at) };
  };
}

/** Longest name, title or email, as other tools show it. */
const maxLine = 200;

export const lineCell = (value: string | undefined): Cell => (value ? oneLine(value, maxLine) || null : null);

/** Texts without a letter case differ in neither. */
export function emailCells(email: string | undefined): Row {
  const shown = lineCell(email);
  return { email: shown, email_key: typeof shown === 'string' ? buyerKey(shown) : null };
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string') return lineCell(value);
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' ? value : null;
}

/** The row of a record whose fields have the names of their columns. */
export function rowOf(fields: object): Row {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cellOf(value)]));
}

/** Rows of one statement: fewer larger ones are faster, but each is one text. */
const batch = 2_000;

/**
 * Inserts rows, or changes those with the same key: their row number stays. As one JSON text, which is four times as fast as
 * binding values.
 */
export function insertRows(table: string, rows: readonly Row[]): Statement[] {
  const columns = (columnsOf.get(table) ?? Object.keys(rows[0] ?? {})).filter((name) => name !== 'order_no');
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const changes = columns.filter((name) => name !== 'id').map((name) => `${name} = excluded.${name}`);
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values} FROM json_each(?) WHERE true
    ON CONFLICT DO UPDATE SET ${changes.join(', ')}`;
  const cells = rows.map((row) => columns.map((name) => row[name] ?? null));
  return Array.from({ length: Math.ceil(rows.length / batch) }, (_, index) => {
    return { sql, values: [JSON.stringify(cells.slice(index * batch, (index + 1) * batch))] };
  });
}
