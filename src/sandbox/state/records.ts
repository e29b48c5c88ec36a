/** Records of one kind by id, in the order in which they were added. */
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

/** A key of digits is an id first; a slug may be digits alone too ("2026"). */
export function findByIdOrSlug<Row extends { readonly id: number; readonly slug: string }>(
  records: Records<Row>,
  key: string,
): Row | undefined {
  const byId = /^\d+$/.test(key) ? records.get(Number(key)) : undefined;
  return byId ?? records.all().find((row) => row.slug === key);
}
