import { countFirst } from '../../shared/sorted.ts';

interface Timed {
  /** Milliseconds since 1970. */
  readonly created_at: number;
}

interface Bounds {
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

/** The rows of a period: `created_after` inclusive, `created_before` exclusive. `rows`: in order of time. */
export function rowsOfPeriod<Row extends Timed>(rows: readonly Row[], bounds: Bounds): Row[] {
  const { created_after: from, created_before: to } = bounds;
  const countBefore = (time: number) => countFirst(rows.length, (index) => (rows[index]?.created_at ?? 0) < time);
  const start = from === undefined ? 0 : countBefore(timeOf(from));
  return rows.slice(start, to === undefined ? rows.length : countBefore(timeOf(to)));
}

/** Keeps rows in order of time. Rows of the same time keep their order of insertion. */
export function addByTime<Row extends Timed>(rows: Row[], row: Row): void {
  rows.splice(rows.findLastIndex(({ created_at }) => created_at <= row.created_at) + 1, 0, row);
}

/** Formats milliseconds since 1970 as the API does. */
export const isoTime = (milliseconds: number) => new Date(milliseconds).toISOString();

/** A day is its midnight in UTC. A time without an offset is in UTC: `Date.parse` alone would use the zone of the machine. */
export function timeOf(text: string): number {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  return Date.parse(isDay || hasZone ? text : `${text}Z`);
}

const maxSlug = 100;

/** "Café & Crème" becomes "cafe-creme". Other scripts keep their marks: without them a name would change its meaning. */
export function slugOf(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^[-\p{M}]+/u, '');
  return [...slug].slice(0, maxSlug).join('').replace(/-$/, '') || fallback;
}

export function uniqueSlug(wanted: string, taken: ReadonlySet<string>): string {
  let slug = wanted;
  for (let suffix = 2; taken.has(slug); suffix += 1) slug = `${wanted}-${suffix}`;
  return slug;
}

/** Records of one kind by id, in the order of insertion. */
export class Records<Row extends { readonly id: number }> extends Map<number, Row> {
  #lastId = 0;

  constructor(rows: Iterable<Row> = []) {
    super();
    for (const row of rows) this.add(row);
  }

  all(): Row[] {
    return [...this.values()];
  }

  add(row: Row): Row {
    this.set(row.id, row);
    this.#lastId = Math.max(this.#lastId, row.id);
    return row;
  }

  nextId(): number {
    return this.#lastId + 1;
  }
}

export function numbered<Row extends object>(rows: readonly Row[]): Records<Row & { readonly id: number }> {
  return new Records(rows.map((row, index) => ({ id: index + 1, ...row })));
}

export type RowOf<Of> = Of extends Records<infer Row> ? Row : never;

/** Looks up digits as an id first, then as a slug: a slug may be only digits ("2026"). */
export function findByIdOrSlug<Row extends { readonly id: number; readonly slug: string }>(
  rows: readonly Row[],
  key: string,
): Row | undefined {
  const byId = /^\d+$/.test(key) ? rows.find(({ id }) => id === Number(key)) : undefined;
  return byId ?? rows.find(({ slug }) => slug === key);
}
