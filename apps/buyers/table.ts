import { button, element } from '../shared/dom.ts';
import type { Page } from '../shared/page.ts';
import { createTable, type Table } from '../shared/table.ts';
import { compareSums, dayOf, minuteOf, sumsText } from '../shared/values.ts';
import type { Buyer } from './answer.ts';

/** The date has a column of its own if the page is wide. */
function secondLine(alone: Buyer['alone'], lastOrder: string): Node | string {
  const date = element('span', { class: 'narrow' }, dayOf(lastOrder));
  return alone === undefined ? date : `this alone ${sumsText(alone)}`;
}

interface BuyersOptions {
  readonly open: (buyer: Buyer) => void;
  /** The currency of most sums. */
  readonly currency: () => string;
}

/** A name opens the profile, if the client lets views call tools. */
export function buyersTable({ host }: Page, { open, currency }: BuyersOptions): Table<Buyer> {
  const canOpen = ({ email }: Buyer) => host.canCallTools && email !== '';
  const nameOf = (buyer: Buyer) => {
    const label = buyer.name || buyer.email || 'No name';
    return canOpen(buyer) ? button(label, () => open(buyer), { class: 'link', id: `open-${buyer.email}` }) : label;
  };
  return createTable<Buyer>({
    host,
    caption: 'Buyers',
    empty: 'No buyer matches.',
    onOpen: host.canCallTools ? (buyer) => canOpen(buyer) && open(buyer) : undefined,
    columns: [
      {
        key: 'name',
        title: 'Buyer',
        cell: (buyer) => [nameOf(buyer), buyer.name === '' ? '' : buyer.email],
        compare: (one, other) => (one.name || one.email).localeCompare(other.name || other.email),
      },
      {
        key: 'orders',
        title: 'Orders',
        isWide: true,
        isNumber: true,
        cell: ({ orders, granted }) => [String(orders), granted > 0 ? `${granted} granted` : ''],
        compare: (one, other) => one.orders - other.orders,
      },
      {
        key: 'total',
        title: 'Total',
        isNumber: true,
        cell: ({ total, alone, lastOrder }) => [sumsText(total), secondLine(alone, lastOrder)],
        compare: (one, other) => compareSums(one.total, other.total, currency()),
      },
      {
        key: 'last',
        title: 'Last order',
        isWide: true,
        cell: ({ lastOrder, via, products }) => [minuteOf(lastOrder), via === '' ? products.join(', ') : `in ${via}`],
        compare: (one, other) => one.lastOrder.localeCompare(other.lastOrder),
      },
    ],
  });
}
