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

const offered: readonly Kind[] = ['bundle', 'digital_product'];

export const elementSwitches: readonly Switch[] = [
  elements('digits', 'open', 'bundles and digital products as "31"', ({ id }) => String(id), offered),
  elements(
    'own-id-name',
    'open',
    '{bundle_id, name}',
    ({ kind, id, title }) => ({ [`${kind}_id`]: id, name: title }),
    offered,
  ),
  elements(
    'pivot',
    'open',
    'rows with their own id and bundle_id',
    ({ kind, id, row }) => ({ id: row, [`${kind}_id`]: id }),
    offered,
  ),
  {
    name: 'elements-absent',
    class: 'product elements',
    kind: 'departs',
    says: 'no products at all',
    probes,
    rules: { order: ({ courses: _one, bundles: _two, digital_products: _three, ...others }) => others },
  },
];
