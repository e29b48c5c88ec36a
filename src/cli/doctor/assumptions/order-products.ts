import type { ProductKind } from '../../../insights/sales/product-ref.ts';
import { readProducts } from '../../../insights/sales/products-in-order.ts';
import { isObject } from '../../../shared/json.ts';
import type { Assumption, Row } from '../assumption.ts';
import { idOf } from '../response-records.ts';
import { differencesIn, formOf } from '../value-shapes.ts';

const keyOf = { course: 'courses', bundle: 'bundles', digital_product: 'digital_products' } as const;

function formOfRecord(kind: ProductKind, entry: Row): string | undefined {
  if (entry[`${kind}_id`] !== undefined) return `{${kind}_id}`;
  if (isObject(entry[kind]) || isObject(entry.product)) return 'a product inside a record';
  if (entry.order_id !== undefined) return 'rows of a link table with an id of their own';
  if (idOf(entry.id) === undefined) return 'records without a readable id';
  if (typeof entry.id === 'string') return 'records whose id is a text';
  return typeof entry.title === 'string' ? undefined : 'records without a title';
}

/** The form of one product of an order; undefined for the documented one. */
function formOfEntry(kind: ProductKind, entry: unknown): string | undefined {
  if (isObject(entry)) return formOfRecord(kind, entry);
  if (idOf(entry) !== undefined) return typeof entry === 'number' ? 'bare ids' : 'ids as text';
  return typeof entry === 'string' && entry !== '' ? 'texts' : formOf(entry);
}

/** The first form in which an order lists products of a kind otherwise than documented. */
function formOfList(kind: ProductKind, list: unknown): string | undefined {
  if (!Array.isArray(list)) return isObject(list) ? 'a map' : `the list is ${formOf(list)}`;
  return list.map((entry) => formOfEntry(kind, entry)).find((form) => form !== undefined);
}

/** An empty list shows nothing of the form of its entries. */
function showsForm(kind: ProductKind, order: Row): boolean {
  const list = order[keyOf[kind]];
  return !Array.isArray(list) || list.length > 0;
}

/** What counts as read is what the answers read: the same reader decides. */
function judge(kind: ProductKind, order: Row) {
  const isUnread = readProducts(order).unread.includes(kind);
  const form = formOfList(kind, order[keyOf[kind]]) ?? (isUnread ? 'something that may list more' : undefined);
  return form === undefined ? undefined : { form, isRead: !isUnread };
}

function ofKind(kind: ProductKind, silent: string): Assumption {
  const name = keyOf[kind];
  return {
    id: `orders.${name.replace('_', '-')}`,
    assumed: `\`${name}\` of an order lists records with \`id\` and \`title\`.`,
    silent,
    otherwise: `read: bare ids, ids as text, \`${kind}_id\`, a product inside a record, a map from id to title. Counted as unreadable (\`products\`): everything else`,
    costs:
      'they cannot be read: buyers will be missing, and answers about buyers and sales say that they are incomplete',
    check: ({ orders }) => {
      const rows = (orders?.rows ?? []).filter((order) => showsForm(kind, order));
      return differencesIn(rows, (order) => judge(kind, order));
    },
  };
}

export const orderProductAssumptions: readonly Assumption[] = [
  ofKind('course', 'Order: documented'),
  ofKind('bundle', 'Order: element shape not shown'),
  ofKind('digital_product', 'Order: element shape not shown'),
];
