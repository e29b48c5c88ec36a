import type { ToolAnswer } from '../../../support/connect.ts';
import { iso, must, type Order } from '../../academy/state.ts';
import {
  type Finding,
  type Harness,
  judgeRead,
  lacks,
  type Probe,
  record,
  rowsIn,
  setFindings,
  states,
} from '../verdict.ts';
import { hundredths, refsOf } from './sales.ts';

type Json = Readonly<Record<string, unknown>>;

/** All rows of a list, read with next_page, and the last answer, or the first that is uncertain or failed. */
export async function everyPage({ call }: Harness, tool: string, list: string, args: Json) {
  const rows: Json[] = [];
  for (let page: unknown = 1, count = 1; ; count += 1) {
    const answer: ToolAnswer = await call(tool, { ...args, page });
    const { structured: data = {} } = answer;
    // Rows leave out the values that the answer states once.
    rows.push(...rowsIn(data[list]).map((row) => ({ ...record(data.defaults), ...row })));
    page = data.next_page;
    const isDoubted = record(data.coverage).complete === false;
    if (isDoubted || answer.code !== 'ok' || page === undefined || count === 30)
      return { answer, rows, endless: count === 30 ? [lacks('its pages do not end')] : [] };
  }
}

/** Fields in which a row may hold the lists of the API unchanged: they claim nothing. */
const raw = 'courses bundles digital_products line_items api_products other_products items'.split(' ');

function productsDifference(row: Json, order: Order): string | undefined {
  const found = setFindings('products', Object.keys(record(row.products)), refsOf(order));
  const isRaw = row.products === 'could not be read' || raw.some((key) => row[key] !== undefined);
  return found.find(({ isUntrue }) => isUntrue || !isRaw)?.what;
}

/** An amount as the API wrote it is not a claim of ours; a parsed amount must be correct. */
function amountDifference({ amount, granted }: Json, order: Order): string | undefined {
  if (granted === true && hundredths(order.amount) !== 0) return `called granted, in truth ${order.amount}`;
  const isPlain = /^-?\d+(\.\d+)?$/.test(String(amount ?? ''));
  return isPlain && hundredths(String(amount)) !== hundredths(order.amount)
    ? `amount ${amount}, in truth ${order.amount}`
    : undefined;
}

function timeDifference({ created_at }: Json, { at }: Order): string | undefined {
  if (typeof created_at !== 'string') return undefined;
  const isWhole = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(created_at);
  const isRow = /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2})?$/.test(created_at);
  const isOther = isRow && !iso(at).replace('T', ' ').startsWith(created_at);
  return isOther || (isWhole && Math.floor(Date.parse(created_at) / 1000) !== at / 1000)
    ? `${created_at}, in truth ${iso(at)}`
    : undefined;
}

function rowFindings(row: Json, order: Order): Finding[] {
  const differences = [productsDifference(row, order), amountDifference(row, order), timeDifference(row, order)];
  return differences.flatMap((one) => (one === undefined ? [] : [states(`${row.id}: ${one}`)]));
}

function orders(
  name: string,
  args: (harness: Harness) => Json,
  isWanted: (order: Order, harness: Harness) => boolean = () => true,
): Probe {
  return {
    name,
    judge: async (harness) => {
      const asked = { per_page: 100, ...args(harness) };
      const { answer, rows, endless } = await everyPage(harness, 'list_orders', 'orders', asked);
      const all = new Map(harness.academy.state.orders.map((order) => [order.id, order]));
      const truth = [...all.values()].filter((order) => isWanted(order, harness)).map(({ id }) => id);
      const ids = rows.map(({ id }) => String(id));
      const details = rows.flatMap((row) => {
        const order = all.get(String(row.id));
        return order === undefined ? [] : rowFindings(row, order);
      });
      return judgeRead(answer, [...endless, ...setFindings('orders', ids, truth), ...details], harness.terms);
    },
  };
}

function windowOf({ academy }: Harness) {
  const times = academy.state.orders.map(({ at }) => at).sort((one, other) => other - one);
  const between = (index: number) => (must(times[index], 'order') + must(times[index + 1], 'order')) / 2;
  return { from: between(40), to: between(9) };
}

export const orderProbes: readonly Probe[] = [
  orders('list_orders', () => ({ status: 'all' })),
  orders(
    'list_orders/status',
    () => ({ status: 'wallet_executed' }),
    ({ status }) => status === 'wallet_executed',
  ),
  orders(
    'list_orders/student',
    ({ email }) => ({ status: 'all', user_email: email(10) }),
    ({ email }, harness) => email === harness.email(10),
  ),
  orders(
    'list_orders/nobody',
    () => ({ user_email: 'nobody@nowhere.example' }),
    () => false,
  ),
  orders(
    'list_orders/bounds',
    (harness) => {
      const { from, to } = windowOf(harness);
      return { status: 'all', created_after: new Date(from).toISOString(), created_before: new Date(to).toISOString() };
    },
    ({ at }, harness) => at > windowOf(harness).from && at < windowOf(harness).to,
  ),
  {
    name: 'get_order',
    judge: async (harness) => {
      const order = must(
        harness.academy.state.orders.find(({ student }) => student === 2),
        'order',
      );
      const answer = await harness.call('get_order', { order_id: order.id });
      const { structured: data = {} } = answer;
      const found =
        data.id === order.id ? rowFindings(data, order) : [states(`order ${data.id}, asked for ${order.id}`)];
      return judgeRead(answer, found, harness.terms);
    },
  },
];
