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
