import { countEach } from '../shared/group-by.ts';
import { listText } from '../shared/quote-text.ts';

/**
 * Kinds of values that may be unreadable. `products`: orders whose products cannot be read. `marks`: orders with a field that
 * the document does not name and that says that they were undone. `values`: any other fields.
 */
export const unreadableKinds = [
  'orders',
  'products',
  'amounts',
  'currencies',
  'dates',
  'statuses',
  'emails',
  'marks',
  'posts',
  'percentages',
  'lessons',
  'values',
] as const;
export type UnreadableKind = (typeof unreadableKinds)[number];

/** The number of unreadable values of each kind, as in `coverage.unreadable`. Kinds with none are absent. */
export type Unreadable = Readonly<Partial<Record<UnreadableKind, number>>>;

export function countUnreadable(found: Iterable<UnreadableKind>): Unreadable {
  return mergeUnreadable(Object.fromEntries(countEach(found)));
}

export function mergeUnreadable(...all: readonly Unreadable[]): Unreadable {
  const sums = unreadableKinds.map((kind) => [kind, all.reduce((sum, one) => sum + (one[kind] ?? 0), 0)] as const);
  return Object.fromEntries(sums.filter(([, count]) => count > 0));
}

export function hasUnreadable(unreadable: Unreadable): boolean {
  return Object.values(unreadable).some((count) => count > 0);
}

const singular: Partial<Record<UnreadableKind, string>> = { currencies: 'currency', statuses: 'status' };

function countOf(kind: UnreadableKind, count: number): string {
  if (kind === 'products') return `the products of ${count} order${count === 1 ? '' : 's'}`;
  return `${count} ${count === 1 ? (singular[kind] ?? kind.slice(0, -1)) : kind}`;
}

/** "3 amounts and 2 dates could not be read"; empty if all were read. */
export function unreadableText({ marks = 0, ...values }: Unreadable): string {
  const counts = unreadableKinds.map((kind) => [kind, kind === 'marks' ? 0 : (values[kind] ?? 0)] as const);
  const parts = counts.flatMap(([kind, count]) => (count > 0 ? [countOf(kind, count)] : []));
  const carrying = marks === 1 ? '1 order carries a mark' : `${marks} orders carry marks`;
  return [
    ...(parts.length === 0 ? [] : [`${listText(parts)} could not be read`]),
    ...(marks === 0 ? [] : [`${carrying} of a refund or the like`]),
  ].join('; ');
}
