import type { ProductKind } from '../../../insights/sales/product-ref.ts';
import { readProducts } from '../../../insights/sales/products-in-order.ts';
import { isObject } from '../../../shared/json.ts';
import type { Assumption, JsonRecord } from '../assumption.ts';
import { differencesIn, shapeOf } from '../mask-value.ts';
import { idOf } from '../response-records.ts';

const keyOf = { course: 'courses', bundle: 'bundles', digital_product: 'digital_products' } as const;

function shapeOfRecord(kind: ProductKind, entry: JsonRecord): string | undefined {
  if (entry[`${kind}_id`] !== undefined) return `{${kind}_id}`;
  if (isObject(entry[kind]) || isObject(entry.product)) return 'a product inside a record';
  if (entry.order_id !== undefined) return 'rows of a link table with an id of their own';
  if (idOf(entry.id) === undefined) return 'records without a readable id';
  if (typeof entry.id === 'string') return 'records whose id is a text';
  return typeof entry.title === 'string' ? undefined : 'records without a title';
}

/** The shape of one product of an order; undefined for the documented shape. */
function shapeOfEntry(kind: ProductKind, entry: unknown): string | undefined {
  if (isObject(entry)) return shapeOfRecord(kind, entry);
  if (idOf(entry) !== undefined) return typeof entry === 'number' ? 'bare ids' : 'ids as text';
  return typeof entry === 'string' && entry !== '' ? 'texts' : shapeOf(entry);
}

/** The first undocumented shape in which an order lists products of a kind; undefined if there is none. */
function shapeOfList(kind: ProductKind, list: unknown): string | undefined {
  if (!Array.isArray(list)) return isObject(list) ? 'a map' : `the list is ${shapeOf(list)}`;
  return list.map((entry) => shapeOfEntry(kind, entry)).find((shape) => shape !== undefined);
}

/** An empty list does not show the shape of its entries. */
function showsShape(kind: ProductKind, order: JsonRecord): boolean {
  const list = order[keyOf[kind]];
  return !Array.isArray(list) || list.length > 0;
}

/** Uses the same reader as the tools' answers to decide what is handled. */
function checkProducts(kind: ProductKind, order: JsonRecord) {
  const isUnread = readProducts(order).unread.includes(kind);
  const shape = shapeOfList(kind, order[keyOf[kind]]) ?? (isUnread ? 'another key that may list products' : undefined);
  return shape === undefined ? undefined : { shape, isHandled: !isUnread };
}

function ofKind(kind: ProductKind, undocumented: string): Assumption {
  const name = keyOf[kind];
  return {
    id: `orders.${name.replace('_', '-')}`,
    statement: `\`${name}\` of an order lists records with \`id\` and \`title\`.`,
    undocumented,
    fallback: `read: bare ids, ids as text, \`${kind}_id\`, a product inside a record, a map from id to title. Counted as unreadable (\`products\`): everything else`,
    impact:
      'these products cannot be read: buyers are missing, and answers about buyers and sales say that they are incomplete',
    check: ({ orders }) => {
      const rows = (orders?.rows ?? []).filter((order) => showsShape(kind, order));
      return differencesIn(rows, (order) => checkProducts(kind, order));
    },
  };
}

export const orderProductAssumptions: readonly Assumption[] = [
  ofKind('course', 'Order: documented'),
  ofKind('bundle', 'Order: element shape not shown'),
  ofKind('digital_product', 'Order: element shape not shown'),
];
