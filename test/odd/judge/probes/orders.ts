import type { ToolAnswer } from '../../../support/connect.ts';
import { iso, must, type Order } from '../../academy/state.ts';
import type { Harness, Probe } from '../verdict.ts';
import { type Findings, judgeRead, record, rowsIn, setFindings } from '../verdict.ts';
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
      return { answer, rows, isEndless: count === 30 };
  }
}

/** The products of a row: `products`, or the unchanged lists of the API. */
function productsDifference(row: Json, order: Order): string | undefined {
  const truth = refsOf(order);
  const found = setFindings('products', Object.keys(record(row.products)), truth);
  const raw = [
    'courses',
    'bundles',
    'digital_products',
    'line_items',
    'api_products',
    'other_products',
    'items',
  ].filter((key) => row[key] !== undefined);
  const isUnread = row.products === 'could not be read';
  if (found.falsehood !== undefined) return `${row.id}: ${found.falsehood}`;
  return found.difference === undefined || raw.length > 0 || isUnread ? undefined : `${row.id}: ${found.difference}`;
}

/** An amount as the API wrote it is not a claim of ours; a parsed amount must be correct. */
function amountDifference({ id, amount, granted }: Json, order: Order): string | undefined {
  if (granted === true && hundredths(order.amount) !== 0) return `${id} is called granted, in truth ${order.amount}`;
  const isPlain = /^-?\d+(\.\d+)?$/.test(String(amount ?? ''));
  return isPlain && hundredths(String(amount)) !== hundredths(order.amount)
    ? `${id}: amount ${amount}, in truth ${order.amount}`
    : undefined;
}

function timeDifference({ id, created_at }: Json, { at }: Order): string | undefined {
  if (typeof created_at !== 'string') return undefined;
  const isWhole = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(created_at);
  const isRow = /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2})?$/.test(created_at);
  const isOther = isRow && !iso(at).replace('T', ' ').startsWith(created_at);
  return isOther || (isWhole && Math.floor(Date.parse(created_at) / 1000) !== at / 1000)
    ? `${id}: ${created_at}, in truth ${iso(at)}`
    : undefined;
}

function rowDifference(row: Json, order: Order): string | undefined {
  return productsDifference(row, order) ?? amountDifference(row, order) ?? timeDifference(row, order);
}

function orderFindings(rows: readonly Json[], truth: readonly Order[], all: readonly Order[]): Findings {
  const found = setFindings(
    'orders',
    rows.map(({ id }) => String(id)),
    truth.map(({ id }) => id),
  );
  const byId = new Map(all.map((order) => [order.id, order]));
  const each = rows.map((row) => {
    const order = byId.get(String(row.id));
    return order === undefined ? undefined : rowDifference(row, order);
  });
  const detail = each.find((one) => one !== undefined);
  return { difference: found.difference ?? detail, falsehood: found.falsehood ?? detail };
}

function orders(
  name: string,
  args: (harness: Harness) => Json,
  isWanted: (order: Order, harness: Harness) => boolean,
): Probe {
  return {
    name,
    judge: async (harness) => {
      const { answer, rows, isEndless } = await everyPage(harness, 'list_orders', 'orders', {
        per_page: 100,
        ...args(harness),
      });
      const { orders: all } = harness.academy.state;
      const found = orderFindings(
        rows,
        all.filter((order) => isWanted(order, harness)),
        all,
      );
      return judgeRead(answer, isEndless ? { difference: 'its pages do not end' } : found, harness.terms);
    },
  };
}

function windowOf({ academy }: Harness) {
  const times = academy.state.orders.map(({ at }) => at).sort((one, other) => other - one);
  const between = (index: number) => (must(times[index], 'order') + must(times[index + 1], 'order')) / 2;
  return { from: between(40), to: between(9) };
}

export const orderProbes: readonly Probe[] = [
  orders(
    'list_orders',
    () => ({ status: 'all' }),
    () => true,
  ),
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
      const difference = data.id === order.id ? rowDifference(data, order) : `order ${data.id}, asked for ${order.id}`;
      return judgeRead(answer, { difference, falsehood: difference }, harness.terms);
    },
  },
];
