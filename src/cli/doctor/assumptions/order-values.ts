import { isGranted } from '../../../contract/orders.ts';
import type { Assumption, Difference, Seen } from '../assumption.ts';
import { column } from '../response-records.ts';
import { asAmount, asCurrency, asEmail, asStatus, asTime } from '../value-checks.ts';
import { differencesIn, differs, formOf, holds, type Judge } from '../value-shapes.ts';

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
    return { form: `id ${formOf(id)}`, isRead: typeof id === 'number' };
  });
  if (forms === undefined || forms.length > 0) return forms;
  return repeated === 0 ? holds : differs(`${repeated} of ${ids.length} ids are repeated`);
}

/** Single values of an order that answers are calculated from. */
export const orderValueAssumptions: readonly Assumption[] = [
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
    costs: 'these orders count neither as paid nor as failed: sales answers list them separately',
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
