import { isGranted, order } from '../../../contract/orders.ts';
import { type Assumption, type Difference, type Listed, ordersAsked, type Seen } from '../assumption.ts';
import { fieldDifferences } from '../fields.ts';
import { differencesIn, differs, formOf, holds, type Judge } from '../forms.ts';
import { asAmount, asCurrency, asEmail, asStatus, asTime } from '../judges.ts';
import { column, idOf } from '../rows.ts';

/** Judged on their own, here or in order-products.ts. */
const apart = [
  ...['id', 'amount', 'currency', 'status', 'user_email', 'created_at', 'updated_at'],
  ...['courses', 'digital_products', 'bundles'],
];

function ofField(name: string, judge: Judge<unknown>): (seen: Seen) => readonly Difference[] | undefined {
  return ({ orders }) => orders && differencesIn(column(orders.rows, name), judge);
}

/** An amount of 0 needs no currency. */
function isFree(amount: unknown): boolean {
  return isGranted(typeof amount === 'number' ? String(amount) : typeof amount === 'string' ? amount : undefined);
}

function idDifferences(ids: readonly unknown[]): readonly Difference[] | undefined {
  const texts = new Set(ids.filter((id) => id !== undefined && id !== null));
  const repeated = ids.length - texts.size;
  const forms = differencesIn(ids, (id) => {
    if (typeof id === 'string' && id !== '') return undefined;
    return { form: `ids are written ${formOf(id)}`, isRead: typeof id === 'number' };
  });
  if (forms === undefined || forms.length > 0) return forms;
  return repeated === 0 ? holds : differs(`${repeated} of ${ids.length} ids are repeated`);
}

function totalDifferences({ rows, meta }: Listed): readonly Difference[] {
  const total = idOf(meta.total_orders) ?? (Number(meta.total_orders) === 0 ? 0 : undefined);
  if (total === undefined || meta.total_orders === null) return differs('orders carry no total');
  return total >= rows.length ? holds : differs(`the total is ${total}, less than the ${rows.length} orders that came`);
}

function sizeDifferences({ rows, meta }: Listed): readonly Difference[] {
  const size = idOf(meta.per_page);
  if (rows.length > ordersAsked)
    return differs(`a page holds ${rows.length} orders where ${ordersAsked} were asked for`);
  if (size !== undefined && size < ordersAsked) return differs(`a page holds ${size} orders at most`);
  return holds;
}

export const orderAssumptions: readonly Assumption[] = [
  {
    id: 'orders.list',
    assumed: 'The list of orders is under `orders`, and each entry is a record.',
    silent: 'Endpoints, Orders: documented',
    otherwise: 'read: a bare list or the only list of the answer. Other entries are counted as unreadable (`orders`)',
    costs: 'these entries are missing from every answer about orders, which say that they are incomplete',
    check: ({ orders }) => {
      if (orders === undefined) return undefined;
      const elsewhere = orders.key === 'orders' ? [] : differs('the list is under another key', true);
      return [...(orders.strange > 0 ? differs(`${orders.strange} entries are no records`) : []), ...elsewhere];
    },
  },
  {
    id: 'orders.fields',
    assumed: 'An order has the documented fields with the documented types.',
    silent: 'Order: documented',
    otherwise: 'read: what is missing is left out of answers',
    costs: 'answers leave these fields out',
    check: ({ orders }) => orders && fieldDifferences(order, orders.rows, apart),
  },
  {
    id: 'orders.total',
    assumed: '`meta.total_orders` is the number of orders of the whole list.',
    silent: 'Endpoints, Orders: documented; whether filters count is not shown',
    otherwise: 'cannot tell: orders are read until a page is empty or brings nothing new',
    costs: 'sales questions read until an empty page: one request more, and no total proves that nothing is missing',
    check: ({ orders }) => orders && totalDifferences(orders),
  },
  {
    id: 'orders.pages',
    assumed: '`meta.total_pages` is the number of pages.',
    silent: 'Endpoints, Orders: documented',
    otherwise: 'read: the number of orders and an empty page end the list',
    costs: 'the number of requests is not known before the end',
    check: ({ orders }) => {
      if (orders === undefined || orders.rows.length === 0) return undefined;
      return idOf(orders.meta.total_pages) === undefined ? differs('the number of pages is not shown') : holds;
    },
  },
  {
    id: 'orders.page-size',
    assumed: 'A page holds as many orders as `per_page` asks for, up to 100.',
    silent: 'Limits: a maximum of 100; what happens to other values is not shown',
    otherwise: 'read: pages of any length are read, until one is empty or brings nothing new',
    costs: 'sales questions need more requests, or longer ones, than they say',
    check: ({ orders }) => (orders === undefined || orders.rows.length === 0 ? undefined : sizeDifferences(orders)),
  },
  {
    id: 'orders.id',
    assumed: 'An order has a unique id, a text.',
    silent: 'Order: documented',
    otherwise: 'read: a number. An order without an id is known by its content',
    costs: 'orders of identical content count once, and no order can be asked for by its id',
    check: ({ orders }) => orders && idDifferences(column(orders.rows, 'id')),
  },
  {
    id: 'orders.amount',
    assumed: 'An amount is a decimal text such as "49.00"; 0 means granted, free or fully discounted.',
    silent: 'Resources: "strings holding a decimal number"; currency signs, commas and null are not ruled out',
    otherwise: 'read: a JSON number. Counted as unreadable (`amounts`): everything else; neither bought nor granted',
    costs: 'they cannot be read: sales answers will be incomplete',
    check: ofField('amount', asAmount),
  },
  {
    id: 'orders.currency',
    assumed: 'The currency of an order is a code of three letters.',
    silent: 'Order: "string"',
    otherwise: 'counted as unreadable (`currencies`)',
    costs: 'sums cannot be split by currency: sales answers will be incomplete',
    check: ({ orders }) =>
      orders &&
      differencesIn(
        column(
          orders.rows.filter(({ amount }) => !isFree(amount)),
          'currency',
        ),
        asCurrency,
      ),
  },
  {
    id: 'orders.time',
    assumed: '`created_at` is ISO 8601 in UTC.',
    silent: 'Resources: "ISO 8601 UTC strings"; precision and offset are not shown',
    otherwise:
      'read: any precision and offset, and no offset as UTC. Counted as unreadable (`dates`): everything else, such as epoch numbers',
    costs: 'these orders fall into no period: answers about a period will be incomplete',
    check: ofField('created_at', asTime),
  },
  {
    id: 'orders.status',
    assumed: 'A status is pending, failed, paid or wallet_executed.',
    silent: 'States and transitions: documented; transitions are not shown',
    otherwise: 'read: other capitals. An unknown status is named; it is called neither paid nor failed (`statuses`)',
    costs: 'these orders count neither as paid nor as failed: sales answers name them apart',
    check: ofField('status', asStatus),
  },
  {
    id: 'orders.email',
    assumed: '`user_email` is an email address.',
    silent: 'Order: "string"',
    otherwise: 'counted as unreadable (`emails`)',
    costs: 'these orders belong to no known buyer: lists of buyers will be incomplete',
    check: ofField('user_email', asEmail),
  },
];
