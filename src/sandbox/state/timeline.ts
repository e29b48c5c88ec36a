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
