import type { ProductKind } from '../../../insights/sales/product-ref.ts';
import { idOf, productLists, readProductList, readProducts } from '../../../insights/sales/products-in-order.ts';
import { isObject } from '../../../shared/json.ts';
import type { Assumption, JsonRecord } from '../assumption.ts';
import { differencesIn, shapeOf } from '../mask-value.ts';

/** The shape of an entry; undefined for the documented shape. */
function shapeOfEntry(kind: ProductKind, entry: unknown): string | undefined {
  if (!isObject(entry)) return idOf(entry) === undefined ? shapeOf(entry) : 'bare ids';
  if (entry[`${kind}_id`] !== undefined) return `{${kind}_id}`;
  if (readProductList([entry], kind)?.isWhole !== true) return 'records of another form';
  if (typeof entry.id === 'string') return 'records whose id is a text';
  return typeof entry.title === 'string' ? undefined : 'records without a title';
}

/** An empty list does not show the shape of its entries. */
function showsShape(kind: ProductKind, order: JsonRecord): boolean {
  const list = order[productLists[kind]];
  return !Array.isArray(list) || list.length > 0;
}

/** Uses the same reader as the tools' answers to decide what is handled. */
function checkProducts(kind: ProductKind, order: JsonRecord) {
  const isUnread = readProducts(order).unread.includes(kind);
  const list = order[productLists[kind]];
  const shape = Array.isArray(list)
    ? list.map((entry) => shapeOfEntry(kind, entry)).find((one) => one !== undefined)
    : `the list is ${shapeOf(list)}`;
  const found = shape ?? (isUnread ? 'another key that may list products' : undefined);
  return found === undefined ? undefined : { shape: found, isHandled: !isUnread };
}

function ofKind(kind: ProductKind, undocumented: string): Assumption {
  const name = productLists[kind];
  const forms = kind === 'course' ? 'ids as text' : `ids as text, bare ids, \`${kind}_id\``;
  return {
    id: `orders.${name.replace('_', '-')}`,
    statement: `\`${name}\` of an order lists records with \`id\` and \`title\`.`,
    undocumented,
    fallback: `read: ${forms}. Counted as unreadable (\`products\`): everything else`,
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
