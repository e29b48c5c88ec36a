import type { Host } from '../shared/bridge.ts';
import { element } from '../shared/dom.ts';
import { createTable, type Table } from '../shared/table.ts';
import { counted, grouped, sumsText } from '../shared/values.ts';
import type { Group } from './answer.ts';

export const nameOf = ({ key, label, isPartial }: Group, isCalendar: boolean): string =>
  `${isCalendar || label === '' ? key : label}${isPartial ? ' (part)' : ''}`;

/** The exact figures of every group. */
export function salesTable(host: Host, isCalendar: boolean, currency: string): Table<Group> {
  const amount = ({ revenue }: Group) => Number(revenue[currency] ?? 0);
  return createTable<Group>({
    host,
    caption: 'Sales',
    empty: 'Nothing was sold in this period.',
    columns: [
      {
        key: 'name',
        title: isCalendar ? 'Date' : 'Name',
        cell: (group) => [nameOf(group, isCalendar), isCalendar ? group.label : group.key],
        compare: (one, other) => nameOf(one, isCalendar).localeCompare(nameOf(other, isCalendar)),
      },
      {
        key: 'orders',
        title: 'Orders',
        isNumber: true,
        isWide: true,
        cell: ({ orders }) => [grouped(String(orders))],
        compare: (one, other) => one.orders - other.orders,
      },
      {
        key: 'buyers',
        title: 'Buyers',
        isNumber: true,
        isWide: true,
        cell: ({ buyers }) => [grouped(String(buyers))],
        compare: (one, other) => one.buyers - other.buyers,
      },
      {
        key: 'revenue',
        title: 'Revenue',
        isNumber: true,
        cell: ({ revenue, orders }) => [
          sumsText(revenue) || '0',
          element('span', { class: 'narrow' }, counted(orders, 'order')),
        ],
        compare: (one, other) => amount(one) - amount(other),
      },
    ],
  });
}
