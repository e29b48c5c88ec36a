import { isObject } from '../../../api/tolerate.ts';
import type { Assumption, Difference, Row, Seen } from '../assumption.ts';
import { differencesIn, differs, formOf } from '../forms.ts';
import { idOf } from '../rows.ts';

type Kind = 'courses' | 'bundles' | 'digital_products';

/** The key that names a product in a row which is not the product itself. */
const linkOf: Record<Kind, string> = {
  courses: 'course_id',
  bundles: 'bundle_id',
  digital_products: 'digital_product_id',
};
const nestedOf: Record<Kind, string> = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' };

interface Form {
  form: string;
  isRead: boolean;
}

function formOfRecord(kind: Kind, entry: Row): Form | undefined {
  if (idOf(entry[linkOf[kind]]) !== undefined) return { form: `{${linkOf[kind]}}`, isRead: true };
  const nested = [entry[nestedOf[kind]], entry.product].find(isObject);
  if (nested !== undefined && idOf(nested.id) !== undefined) return { form: 'a product inside a record', isRead: true };
  const isLink = Object.hasOwn(entry, 'order_id');
  if (isLink) return { form: 'rows of a link table with an id of their own', isRead: false };
  if (typeof entry.id === 'number' && idOf(entry.id) !== undefined) return undefined;
  if (idOf(entry.id) !== undefined) return { form: 'records whose id is a text', isRead: true };
  return { form: 'records without a readable id', isRead: false };
}

/** The form of one product of an order; undefined for the documented one. */
function productForm(kind: Kind, entry: unknown): Form | undefined {
  if (isObject(entry)) return formOfRecord(kind, entry);
  if (idOf(entry) !== undefined) return { form: typeof entry === 'number' ? 'bare ids' : 'ids as text', isRead: true };
  // A title may be that of two products, or of none.
  if (typeof entry === 'string' && entry !== '') return { form: 'texts', isRead: false };
  return { form: formOf(entry), isRead: false };
}

function listDifferences(lists: readonly unknown[]): readonly Difference[] {
  const odd = lists.filter((list) => !Array.isArray(list));
  const forms = new Set(odd.map((list) => (isObject(list) ? 'a map' : formOf(list))));
  return odd.length === 0 ? [] : differs(`the list is ${[...forms].join(' or ')} (${odd.length} of ${lists.length})`);
}

function check(kind: Kind): (seen: Seen) => readonly Difference[] | undefined {
  return ({ orders }) => {
    if (orders === undefined || orders.rows.length === 0) return undefined;
    const lists = orders.rows.map((row) => row[kind]);
    const entries = lists.flatMap((list) => (Array.isArray(list) ? list : []));
    const odd = listDifferences(lists);
    const elements = differencesIn(entries, (entry) => productForm(kind, entry));
    // Lists that are all empty show nothing of their elements.
    return odd.length === 0 ? elements : [...odd, ...(elements ?? [])];
  };
}

function ofKind(kind: Kind, silent: string): Assumption {
  return {
    id: `orders.${kind.replace('_', '-')}`,
    assumed: `\`${kind}\` of an order lists records with \`id\` and \`title\`.`,
    silent,
    otherwise: `read: bare ids, ids as text, \`${linkOf[kind]}\`, a product inside a record, a unique title. Counted as unreadable (\`products\`): everything else, and a missing list`,
    costs:
      'they may not be readable: buyers may be missing, and answers about buyers and sales will then say that they are incomplete',
    check: check(kind),
  };
}

export const orderProductAssumptions: readonly Assumption[] = [
  ofKind('courses', 'Order: documented'),
  ofKind('bundles', 'Order: element shape not shown'),
  ofKind('digital_products', 'Order: element shape not shown'),
];
