import type { ProductKind } from './product-ref.ts';

type Json = Readonly<Record<string, unknown>>;

/** What is known of a list before it is read. */
export interface ListForm {
  /** The kind of all its entries; undefined where each says its own. */
  readonly kind: ProductKind | undefined;
  /** Its entries are lines, with ids of their own. */
  readonly hasLines: boolean;
}

/** One product that a list names. */
export interface Entry {
  readonly kind: ProductKind;
  readonly id: number;
  readonly title: string | undefined;
}

/** `digital_product_id`, `digitalProductId` and `DigitalProductID` are one name. */
export function plainKey(key: string): string {
  return key.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

const kindNames: ReadonlyMap<string, ProductKind> = new Map([
  ['course', 'course'],
  ['challenge', 'course'],
  ['bundle', 'bundle'],
  ['offer', 'bundle'],
  ['digitalproduct', 'digital_product'],
  ['download', 'digital_product'],
]);

/** The kind that a type such as "courses" or "DigitalProduct" means. */
export function kindNamed(type: unknown): ProductKind | undefined {
  return typeof type === 'string' ? kindNames.get(plainKey(type).replace(/s$/, '')) : undefined;
}

function idFrom(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

function textFrom(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A row that says whose or of which order it is has an id of its own. */
const rowKeys = ['orderid', 'userid', 'studentid', 'buyerid', 'enrollmentid', 'purchaseid', 'lineitemid'];

type Fields = ReadonlyMap<string, unknown>;

function fieldsOf(entry: Json): Fields {
  return new Map(Object.entries(entry).map(([key, value]) => [plainKey(key), value]));
}

function first(fields: Fields, names: readonly string[]): unknown {
  return names.map((name) => fields.get(name)).find((value) => value !== undefined && value !== null);
}

const namesOf = (kind: ProductKind) => [...kindNames].filter(([, own]) => own === kind).map(([name]) => name);

/** A type is only known by a known name: a digital product may say "download", or "pdf". */
function kindOf(fields: Fields, expected: ProductKind | undefined): ProductKind | undefined {
  const told = ['producttype', 'type', 'kind', 'itemtype', 'purchasabletype'].map((name) =>
    kindNamed(fields.get(name)),
  );
  const kind = told.find((one) => one !== undefined);
  if (expected === undefined) return kind ?? kindByKey(fields);
  return kind === undefined || kind === expected ? expected : undefined;
}

/** `{course_id: 21}` says by its key what it is, unless it has more of them. */
function kindByKey(fields: Fields): ProductKind | undefined {
  const named = [...kindNames].filter(([name]) => isGiven(fields.get(`${name}id`)) || isGiven(fields.get(name)));
  const kinds = new Set(named.map(([, kind]) => kind));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

/** The id of the product itself, where a row has that of the product beside its own. */
function idIn(fields: Fields, kind: ProductKind, list: ListForm): number | undefined {
  const own = first(
    fields,
    namesOf(kind).map((name) => `${name}id`),
  );
  if (own !== undefined) return idFrom(own);
  const [id, product] = [fields.get('id'), fields.get('productid') ?? fields.get('itemid')].map(idFrom);
  // The id of a line is its own. Elsewhere nobody can tell which of two ids is the product's.
  if (list.hasLines || list.kind === undefined) return product ?? (list.hasLines ? undefined : id);
  if (product !== undefined) return id === undefined || id === product ? product : undefined;
  return rowKeys.some((name) => fields.has(name)) ? undefined : id;
}

function titleIn(fields: Fields): string | undefined {
  const attributes = fields.get('attributes');
  const inner = isRecord(attributes) ? titleIn(fieldsOf(attributes)) : undefined;
  return textFrom(fields.get('title')) ?? textFrom(fields.get('name')) ?? inner;
}

/** `{product: {product_type: "course", id: 21}}`. */
function kindOfNested(fields: Fields): ProductKind | undefined {
  const product = fields.get('product');
  return isRecord(product) ? kindOf(fieldsOf(product), undefined) : undefined;
}

function recordEntry(fields: Fields, kind: ProductKind, list: ListForm): Entry | undefined {
  const nested = first(fields, [...namesOf(kind), 'product']);
  if (isRecord(nested)) {
    const inner = entryOf(nested, { kind, hasLines: false });
    return inner && { ...inner, title: inner.title ?? titleIn(fields) };
  }
  const id = idFrom(nested) ?? idIn(fields, kind, list);
  return id === undefined ? undefined : { kind, id, title: titleIn(fields) };
}

/**
 * The product that an entry of a list names: an id, `{id}`, `{course_id}`, `{course: {id}}`, a row with an id of its own beside
 * that of the product. Undefined where it cannot be told.
 */
export function entryOf(entry: unknown, list: ListForm): Entry | undefined {
  if (!isRecord(entry)) {
    const id = idFrom(entry);
    return id === undefined || list.kind === undefined ? undefined : { kind: list.kind, id, title: undefined };
  }
  const fields = fieldsOf(entry);
  const kind = kindOf(fields, list.kind) ?? (list.kind === undefined ? kindOfNested(fields) : undefined);
  return kind === undefined ? undefined : recordEntry(fields, kind, list);
}
