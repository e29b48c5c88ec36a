import type { Academy } from '../academy/rules.ts';
import type { Json, Kind, Order } from '../academy/state.ts';
import { titled } from '../academy/views.ts';
import { bulk, orders, type Switch, sales, students } from './switch.ts';

const probes = [...sales, ...orders, ...students, ...bulk, 'enroll_student/holder', 'revoke_bundle', 'revoke_course'];

interface Element {
  readonly kind: Kind;
  readonly id: number;
  readonly title: unknown;
  /** A separate number, which may equal the id of another product. */
  readonly row: number;
}

function elementsOf({ courses, bundles, digitals, number }: Order, { state }: Academy): Element[] {
  const of = (kind: Kind, ids: readonly number[]) =>
    titled(state, kind, ids).map(({ id, title }) => ({ kind, id: Number(id), title }));
  const all = [...of('course', courses), ...of('bundle', bundles), ...of('digital_product', digitals)];
  return all.map((one, index) => ({ ...one, row: 11 + ((number + index) % 43) }));
}

const keys = { course: 'courses', bundle: 'bundles', digital_product: 'digital_products' } as const;
const kinds: readonly Kind[] = ['course', 'bundle', 'digital_product'];

/** Keeps each list, and writes its elements in this form. */
function elements(
  name: string,
  kind: Switch['kind'],
  says: string,
  write: (element: Element) => unknown,
  of: readonly Kind[] = kinds,
): Switch {
  const order = (shown: Json, one: Order, academy: Academy) => {
    const all = elementsOf(one, academy);
    const lists = of.map((own) => [keys[own], all.filter((element) => element.kind === own).map(write)]);
    return { ...shown, ...Object.fromEntries(lists) };
  };
  return { name: `elements-${name}`, class: 'product elements', kind, says, probes, rules: { order } };
}

/** Writes the whole order in this form, without the documented lists. */
function rewritten(name: string, kind: Switch['kind'], says: string, write: (elements: Element[]) => Json): Switch {
  const order = (
    { courses: _one, bundles: _two, digital_products: _three, ...others }: Json,
    one: Order,
    academy: Academy,
  ) => ({
    ...others,
    ...write(elementsOf(one, academy)),
  });
  return { name: `elements-${name}`, class: 'product elements', kind, says, probes, rules: { order } };
}

const offered: readonly Kind[] = ['bundle', 'digital_product'];
const ofKind = (all: readonly Element[], kind: Kind) => all.filter((element) => element.kind === kind);
const listsOf = (all: readonly Element[], write: (own: Element[]) => unknown) =>
  Object.fromEntries(kinds.map((kind) => [keys[kind], write(ofKind(all, kind))]));

export const elementSwitches: readonly Switch[] = [
  elements('digits', 'open', 'bundles and digital products as "31"', ({ id }) => String(id), offered),
  elements(
    'own-id-name',
    'open',
    '{bundle_id, name}',
    ({ kind, id, title }) => ({ [`${kind}_id`]: id, name: title }),
    offered,
  ),
  elements('nested', 'open', '{product: {id, title}}', ({ id, title }) => ({ product: { id, title } }), offered),
  elements(
    'pivot',
    'open',
    'rows with their own id and bundle_id',
    ({ kind, id, row }) => ({ id: row, [`${kind}_id`]: id }),
    offered,
  ),
  elements(
    'slugs',
    'open',
    '{slug, title} without an id',
    ({ title }) => ({ slug: String(title).toLowerCase().replaceAll(' ', '-'), title }),
    offered,
  ),
  elements('courses-digits', 'departs', 'courses as "21" too', ({ id }) => String(id)),
  elements('courses-pivot', 'departs', 'rows with their own id and course_id', ({ kind, id, row, title }) => ({
    id: row,
    [`${kind}_id`]: id,
    title,
  })),
  rewritten('maps', 'departs', 'maps of id to title', (all) =>
    listsOf(all, (own) => Object.fromEntries(own.map(({ id, title }) => [id, title]))),
  ),
  rewritten('line-items', 'departs', 'line_items with type and product_id', (all) => ({
    line_items: all.map(({ kind, id, row, title }) => ({ id: row, type: kind, product_id: id, title })),
  })),
  rewritten('absent', 'departs', 'no products at all', () => ({})),
  rewritten('offers', 'open', 'bundles under the key offers', (all) => ({
    courses: ofKind(all, 'course').map(({ id, title }) => ({ id, title })),
    offers: ofKind(all, 'bundle').map(({ id, title }) => ({ id, title })),
    digital_products: ofKind(all, 'digital_product').map(({ id, title }) => ({ id, title })),
  })),
];
