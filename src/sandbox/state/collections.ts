interface Timed {
  /** Milliseconds since 1970. */
  readonly created_at: number;
}

/** A part of a timeline: `from` inclusive, `before` exclusive, both in milliseconds. */
export interface Period {
  readonly from?: number | undefined;
  readonly before?: number | undefined;
}

/** Counted from the newest row of the period. */
export interface Window {
  readonly skip: number;
  readonly take: number;
}

const wholeWindow: Window = { skip: 0, take: Number.POSITIVE_INFINITY };

export interface Page<Row> {
  readonly rows: Row[];
  /** Rows in the period, on all pages. */
  readonly total: number;
}

/** Rows in order of time. Bounds and totals come from binary search, so a page reads few rows besides its own. */
export class Timeline<Row extends Timed> {
  readonly #rows: Row[] = [];

  constructor(rows: Iterable<Row> = []) {
    for (const row of rows) this.add(row);
  }

  /** Rows of the same time keep their order of insertion. */
  add(row: Row): void {
    const last = this.#rows.at(-1);
    if (last === undefined || last.created_at <= row.created_at) this.#rows.push(row);
    else this.#rows.splice(this.#firstFrom(row.created_at + 1), 0, row);
  }

  /** Newest first. */
  page(period: Period, window: Window = wholeWindow): Page<Row> {
    const start = period.from === undefined ? 0 : this.#firstFrom(period.from);
    const end = period.before === undefined ? this.#rows.length : this.#firstFrom(period.before);
    const total = Math.max(0, end - start);
    const stop = end - Math.min(window.skip, total);
    const first = Math.max(end - total, stop - window.take);
    return { rows: this.#rows.slice(first, stop).reverse(), total };
  }

  /** Tests every row: only for short timelines, such as one buyer's orders. */
  where(test: (row: Row) => boolean): Timeline<Row> {
    return new Timeline(this.#rows.filter(test));
  }

  /** Oldest first. */
  all(): readonly Row[] {
    return this.#rows;
  }

  #firstFrom(time: number): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#rows[middle]?.created_at ?? time) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Formats milliseconds since 1970 as the API does. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/**
 * Parses any date or time that the contract accepts. A day is its midnight in UTC. A time without an offset is in UTC:
 * `Date.parse` alone would use the zone of the machine.
 */
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

/** Adds -2, -3 … until the slug is unique. */
export function uniqueSlug(wanted: string, taken: ReadonlySet<string>): string {
  let slug = wanted;
  for (let suffix = 2; taken.has(slug); suffix += 1) slug = `${wanted}-${suffix}`;
  return slug;
}

/** Records of one kind by id, in the order of insertion. */
export class Records<Row extends { readonly id: number }> {
  readonly #rows = new Map<number, Row>();
  #lastId = 0;

  constructor(rows: Iterable<Row> = []) {
    for (const row of rows) this.add(row);
  }

  get size(): number {
    return this.#rows.size;
  }

  all(): Row[] {
    return [...this.#rows.values()];
  }

  get(id: number): Row | undefined {
    return this.#rows.get(id);
  }

  add(row: Row): Row {
    this.#rows.set(row.id, row);
    this.#lastId = Math.max(this.#lastId, row.id);
    return row;
  }

  nextId(): number {
    return this.#lastId + 1;
  }
}

/** Looks up digits as an id first, then as a slug: a slug may be only digits ("2026"). */
export function findByIdOrSlug<Row extends { readonly id: number; readonly slug: string }>(
  records: Records<Row>,
  key: string,
): Row | undefined {
  const byId = /^\d+$/.test(key) ? records.get(Number(key)) : undefined;
  return byId ?? records.all().find((row) => row.slug === key);
}
