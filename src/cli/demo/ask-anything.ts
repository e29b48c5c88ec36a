import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { dayMs } from '../../shared/durations.ts';
import type { DemoContext } from './demo-context.ts';
import { fetchAll } from './recount-purchases.ts';
import { queried, refreshed } from './tool-results.ts';

/** The mirror begins with the last seven days, today included. */
const daysBefore = 6;

const repeatBuyer = z.object({ email: z.string(), orders: z.int() });

/** Who has paid for orders on several days, the most orders first. */
function statementSince(since: string): string {
  return `SELECT email_key AS email, count(*) AS orders FROM orders WHERE status IN ('paid', 'wallet_executed') AND amount_e4 > 0 AND day >= '${since}' GROUP BY email_key HAVING count(DISTINCT day) > 1 ORDER BY orders DESC, email`;
}

/** The same, counted from the raw orders: how many orders each of them has. */
async function countRaw(demo: DemoContext, since: string): Promise<Record<string, number>> {
  const days = new Map<string, string[]>();
  for (const { status, amount, created_at, user_email } of await fetchAll(demo)) {
    const day = created_at.slice(0, 10);
    if (!/^(paid|wallet_executed)$/.test(status) || !/[1-9]/.test(amount) || day < since) continue;
    const email = user_email.toLowerCase();
    days.set(email, [...(days.get(email) ?? []), day]);
  }
  const repeated = [...days].filter(([, own]) => new Set(own).size > 1);
  return Object.fromEntries(repeated.map(([email, own]) => [email, own.length]));
}

/** Asks a question that no tool foresees, with SQL over a copy of the academy, and checks the answer against the raw orders. */
export async function askAnything(demo: DemoContext): Promise<void> {
  const { screen } = demo;
  screen.heading('Ask anything');
  const since = new Date(Date.now() - daysBefore * dayMs).toISOString().slice(0, 10);
  screen.question(`Who has bought on more than one day since ${since}?`);
  const { data: read } = await demo.readText(refreshed, 'refresh_data');
  if (!read.finished) throw new Error('the new orders were not read in time');
  const spent = demo.count();
  const sql = statementSince(since);
  const { text, data } = await demo.readText(queried, 'query_data', { sql });
  const rows = data.rows.map((row) => repeatBuyer.parse(row));
  screen.answer([
    sql,
    ...text.split('\n').slice(0, 1),
    ...rows.slice(0, 5).map(({ email, orders }) => `${orders} orders  ${email}`),
    ...(rows.length > 5 ? [`(${rows.length - 5} more rows)`] : []),
    `Cost: ${spent().requests} API requests: the copy answers, which the server fills in the background`,
  ]);
  const expected = await countRaw(demo, since);
  const answered = Object.fromEntries(rows.map(({ email, orders }) => [email, orders]));
  if (!isDeepStrictEqual(answered, expected)) throw new Error('the raw orders hold other buyers than the copy');
  screen.check(`A direct count over all raw orders of the HTTP API finds the same ${rows.length} buyers.`);
}
