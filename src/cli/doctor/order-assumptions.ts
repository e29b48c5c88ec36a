import { supportedVersion } from '../../api/platform.ts';
import { account } from '../../contract/account.ts';
import { capabilityNames } from '../../contract/capabilities.ts';
import { order } from '../../contract/orders.ts';
import type { ProductKind } from '../../insights/sales/product-ref.ts';
import { productLists } from '../../insights/sales/products-in-order.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { isObject } from '../../shared/json.ts';
import {
  type Assumption,
  checkAmount,
  checkCurrency,
  checkEmail,
  checkStatus,
  checkTime,
  differencesIn,
  differs,
  fieldDifferences,
  fields,
  holds,
  isFree,
  ofAccount,
  ofList,
  ofPage,
  orderIdDifferences,
  pageDifferences,
  productDifferences,
  records,
  sizeDifferences,
  totalDifferences,
  values,
} from './checks.ts';
import type { JsonRecord } from './read-platform.ts';

// What the program assumes of the platform, of the account and of orders.

const missingFields = 'answers leave out these fields';
const leftOut = 'read: answers leave out missing fields';
const bareList = 'read: a bare list, or the only list in the answer';

/** Milliseconds. A smaller difference changes no answer. */
const minClockDifference = 60_000;

export const platformAssumptions: readonly Assumption[] = [
  {
    id: 'platform.version',
    statement: `Answers have the header X-API-Version: ${supportedVersion}.`,
    undocumented: 'Versioning: documented; no policy for other versions',
    fallback: 'read: used unchanged; the log names the version',
    impact: 'the platform may differ from the document in any point; compare the answers with the platform',
    check: ({ platform: { apiVersion, hasAnswered } }) => {
      if (!hasAnswered) return undefined;
      if (!apiVersion) return differs('answers have no version');
      return apiVersion === supportedVersion ? holds : differs(`the version is ${oneLine(apiVersion, 40)}`);
    },
  },
  {
    id: 'platform.clock',
    statement: "The server's clock (Date header) differs from the local clock by at most a minute.",
    undocumented: 'clocks are not mentioned',
    fallback: "read: the difference is measured, and the server's clock is used",
    impact: '"today" and "last week" may miss the newest orders or posts',
    check: ({ platform: { clockDifferenceMs: difference } }) => {
      if (difference === undefined) return differs('answers have no Date header');
      if (Math.abs(difference) <= minClockDifference) return holds;
      const minutes = Math.round(Math.abs(difference) / minClockDifference);
      return differs(`the server is ${minutes} min ${difference > 0 ? 'ahead' : 'behind'}`, true);
    },
  },
];

export const accountAssumptions: readonly Assumption[] = [
  {
    id: 'account.fields',
    statement: 'The account has the documented fields with the documented types.',
    undocumented: 'Account: documented',
    fallback: leftOut,
    impact: missingFields,
    check: ofAccount((row) => fieldDifferences(account, [row], ['currency', 'subscription_plan'])),
  },
  {
    id: 'account.plan',
    statement: '`subscription_plan` contains "academy" on the academy plan, and on no other.',
    undocumented: 'Account, Limits: names of plans not shown',
    fallback: 'read: 60 requests a minute are assumed',
    impact: 'the program uses a fifth of the rate limit of an academy plan; set ACADEMY_RATE_LIMIT=300',
    check: ofAccount((row) => (typeof row.subscription_plan === 'string' ? holds : differs('the plan is not shown'))),
  },
  {
    id: 'account.currency',
    statement: 'A currency is a code of three letters.',
    undocumented: 'Account: "currency code", standard not named',
    fallback: 'read: shown unchanged',
    impact: 'the currency of prices is unknown',
    check: ofAccount((row) => differencesIn([row.currency], checkCurrency)),
  },
  {
    id: 'account.capabilities',
    statement: 'Each documented capability is true or false.',
    undocumented: 'Capabilities: documented; which endpoint needs which one is not shown',
    fallback: 'cannot tell: no capability explains a 403',
    impact: 'a 403 error does not say that the account lacks the capability',
    check: ({ account: body }) => {
      if (body === undefined) return undefined;
      if (!isObject(body.capabilities)) return differs('no capabilities are shown');
      const listed: JsonRecord = body.capabilities;
      const missing = capabilityNames.filter((name) => typeof listed[name] !== 'boolean');
      return missing.length === 0 ? holds : differs(`not shown: ${missing.join(', ')}`);
    },
  },
];

function productsOf(kind: ProductKind, undocumented: string): Assumption {
  const name = productLists[kind];
  const forms = kind === 'course' ? 'ids as text' : `ids as text, \`name\` for \`title\`, bare ids, \`${kind}_id\``;
  return {
    id: `orders.${name.replace('_', '-')}`,
    statement: `\`${name}\` of an order lists records with \`id\` and \`title\`.`,
    undocumented,
    fallback: `read: ${forms}. Counted as unreadable (\`products\`): everything else`,
    impact:
      'these products cannot be read: buyers are missing, and answers about buyers and sales say that they are incomplete',
    check: ({ orders }) => productDifferences(kind, orders?.rows ?? []),
  };
}

export const orderAssumptions: readonly Assumption[] = [
  {
    id: 'orders.list',
    statement: 'The list of orders is under `orders`, and each entry is a record.',
    undocumented: 'Endpoints, Orders: documented',
    fallback: `${bareList}. Other entries are counted as unreadable (\`orders\`)`,
    impact: 'these entries are missing from every answer about orders; the answers say that they are incomplete',
    check: records('orders'),
  },
  {
    id: 'orders.fields',
    statement: 'An order has the documented fields with the documented types.',
    undocumented: 'Order: documented',
    fallback: leftOut,
    impact: missingFields,
    check: fields('orders', order, [
      ...['id', 'amount', 'currency', 'status', 'user_email', 'created_at'],
      ...Object.values(productLists),
    ]),
  },
  {
    id: 'orders.total',
    statement: '`meta.total_orders` is the number of orders in the complete list.',
    undocumented: 'Endpoints, Orders: documented; whether filters count is not shown',
    fallback: 'cannot tell: orders are read until a page is empty or brings nothing new',
    impact: 'sales questions read until an empty page, one more request, and no total proves that nothing is missing',
    check: ofList('orders', totalDifferences),
  },
  {
    id: 'orders.pages',
    statement: '`meta.total_pages` is the number of pages.',
    undocumented: 'Endpoints, Orders: documented',
    fallback: 'read: the number of orders and an empty page end the list',
    impact: 'the number of requests is not known in advance',
    check: ofPage('orders', pageDifferences),
  },
  {
    id: 'orders.page-size',
    statement: 'A page contains as many orders as `per_page` requests, up to 100.',
    undocumented: 'Limits: a maximum of 100; what happens to other values is not shown',
    fallback: 'read: pages of any length, until one is empty or brings nothing new',
    impact: 'sales questions need more or larger requests than they announce',
    check: ofPage('orders', sizeDifferences),
  },
  {
    id: 'orders.id',
    statement: 'An order has a unique id, a text.',
    undocumented: 'Order: documented',
    fallback: 'read: a number. An order without an id is identified by its content',
    impact: 'orders with identical content count once, and no order can be requested by its id',
    check: ofList('orders', orderIdDifferences),
  },
  {
    id: 'orders.amount',
    statement: 'An amount is a decimal text such as "49.00"; 0 means granted, free or fully discounted.',
    undocumented: 'Resources: "strings holding a decimal number"; currency signs, commas and null are not ruled out',
    fallback:
      'read: a JSON number with the decimal places of its currency. Counted as unreadable (`amounts`): everything else, and other places than the currency has; neither bought nor granted',
    impact: 'these amounts cannot be read: sales answers are incomplete',
    check: values('orders', 'amount', checkAmount),
  },
  {
    id: 'orders.currency',
    statement: 'The currency of an order is a code of three letters.',
    undocumented: 'Order: "string"',
    fallback: 'counted as unreadable (`currencies`)',
    impact: 'sums cannot be split by currency: sales answers are incomplete',
    check: ofList('orders', ({ rows }) =>
      differencesIn(
        rows.filter((row) => !isFree(row)),
        ({ currency }) => checkCurrency(currency),
      ),
    ),
  },
  {
    id: 'orders.time',
    statement: '`created_at` is ISO 8601 in UTC.',
    undocumented: 'Resources: "ISO 8601 UTC strings"; precision and offset are not shown',
    fallback:
      'read: any precision and offset, and no offset as UTC. Counted as unreadable (`dates`): everything else, such as a space instead of T, or epoch numbers',
    impact: 'these orders belong to no period: answers about a period are incomplete',
    check: values('orders', 'created_at', checkTime),
  },
  {
    id: 'orders.status',
    statement: 'A status is pending, failed, paid or wallet_executed.',
    undocumented: 'States and transitions: documented; transitions are not shown',
    fallback:
      'read: different capitalization. An unknown status is named and counts neither as paid nor as failed (`statuses`)',
    impact: 'these orders count neither as paid nor as failed: sales answers list them separately',
    check: values('orders', 'status', checkStatus),
  },
  {
    id: 'orders.email',
    statement: '`user_email` is an email address.',
    undocumented: 'Order: "string"',
    fallback: 'counted as unreadable (`emails`)',
    impact: 'these orders belong to no known buyer: lists of buyers are incomplete',
    check: values('orders', 'user_email', checkEmail),
  },
  productsOf('course', 'Order: documented'),
  productsOf('bundle', 'Order: element shape not shown'),
  productsOf('digital_product', 'Order: element shape not shown'),
];
