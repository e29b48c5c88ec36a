import { isGranted } from '../../../contract/orders.ts';
import type { Assumption, Difference, PlatformData } from '../assumption.ts';
import { differencesIn, differs, holds, type ShapeCheck, shapeOf } from '../mask-value.ts';
import { column } from '../response-records.ts';
import { checkAmount, checkCurrency, checkEmail, checkStatus, checkTime } from '../value-checks.ts';

function ofField(name: string, check: ShapeCheck<unknown>): (data: PlatformData) => readonly Difference[] | undefined {
  return ({ orders }) => orders && differencesIn(column(orders.rows, name), check);
}

/** An amount of 0 needs no currency. */
function isFree(amount: unknown): boolean {
  return isGranted(typeof amount === 'number' ? String(amount) : typeof amount === 'string' ? amount : undefined);
}

function idDifferences(ids: readonly unknown[]): readonly Difference[] | undefined {
  const texts = new Set(ids.filter((id) => id !== undefined && id !== null));
  const repeated = ids.length - texts.size;
  const shapes = differencesIn(ids, (id) => {
    if (typeof id === 'string' && id !== '') return undefined;
    return { shape: `id ${shapeOf(id)}`, isHandled: typeof id === 'number' };
  });
  if (shapes === undefined || shapes.length > 0) return shapes;
  return repeated === 0 ? holds : differs(`${repeated} of ${ids.length} ids are repeated`);
}

/** Single values of an order that the answers' calculations use. */
export const orderValueAssumptions: readonly Assumption[] = [
  {
    id: 'orders.id',
    statement: 'An order has a unique id, a text.',
    undocumented: 'Order: documented',
    fallback: 'read: a number. An order without an id is identified by its content',
    impact: 'orders with identical content count once, and no order can be requested by its id',
    check: ({ orders }) => orders && idDifferences(column(orders.rows, 'id')),
  },
  {
    id: 'orders.amount',
    statement: 'An amount is a decimal text such as "49.00"; 0 means granted, free or fully discounted.',
    undocumented: 'Resources: "strings holding a decimal number"; currency signs, commas and null are not ruled out',
    fallback: 'read: a JSON number. Counted as unreadable (`amounts`): everything else; neither bought nor granted',
    impact: 'these amounts cannot be read: sales answers are incomplete',
    check: ofField('amount', checkAmount),
  },
  {
    id: 'orders.currency',
    statement: 'The currency of an order is a code of three letters.',
    undocumented: 'Order: "string"',
    fallback: 'counted as unreadable (`currencies`)',
    impact: 'sums cannot be split by currency: sales answers are incomplete',
    check: ({ orders }) =>
      orders &&
      differencesIn(
        column(
          orders.rows.filter(({ amount }) => !isFree(amount)),
          'currency',
        ),
        checkCurrency,
      ),
  },
  {
    id: 'orders.time',
    statement: '`created_at` is ISO 8601 in UTC.',
    undocumented: 'Resources: "ISO 8601 UTC strings"; precision and offset are not shown',
    fallback:
      'read: any precision and offset, and no offset as UTC. Counted as unreadable (`dates`): everything else, such as a space instead of T, or epoch numbers',
    impact: 'these orders belong to no period: answers about a period are incomplete',
    check: ofField('created_at', checkTime),
  },
  {
    id: 'orders.status',
    statement: 'A status is pending, failed, paid or wallet_executed.',
    undocumented: 'States and transitions: documented; transitions are not shown',
    fallback:
      'read: different capitalization. An unknown status is named and counts neither as paid nor as failed (`statuses`)',
    impact: 'these orders count neither as paid nor as failed: sales answers list them separately',
    check: ofField('status', checkStatus),
  },
  {
    id: 'orders.email',
    statement: '`user_email` is an email address.',
    undocumented: 'Order: "string"',
    fallback: 'counted as unreadable (`emails`)',
    impact: 'these orders belong to no known buyer: lists of buyers are incomplete',
    check: ofField('user_email', checkEmail),
  },
];
