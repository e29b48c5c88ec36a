import { expect, test } from 'vitest';
import { row, rows } from '../support/academy.ts';
import type { EraClient } from '../support/eras.ts';
import { eras } from '../support/eras.ts';
import { startWithEvents } from '../support/events.ts';
import { call } from '../support/sandbox.ts';
import { postEvent } from '../support/webhooks.ts';

/** Longer than a check of an event, and shorter than the two minutes between two looks for new orders. */
const soon = { timeout: 30_000, interval: 100 };

async function connected(url: string): Promise<EraClient> {
  const client = await eras[0]?.connect({ url });
  if (client === undefined) throw new Error('there is no client');
  return client;
}

const coverageOf = async (client: EraClient) =>
  row((await client.call('describe_data', {})).structuredContent).coverage;

async function count(client: EraClient, where: string): Promise<unknown> {
  const answer = await client.call('query_data', { sql: `SELECT count(*) AS n FROM orders WHERE ${where}` });
  return rows(row(answer.structuredContent).rows)[0]?.n;
}

test('an order that an event announces is in the mirror soon, and a forged event makes it read nothing', async () => {
  const { url, academy, origin } = await startWithEvents({ ACADEMY_MIRROR: 'memory' }, { sandbox: { students: 30 } });
  const client = await connected(url);
  await client.listTools();
  await expect.poll(() => coverageOf(client), soon).toMatchObject({ complete: true });
  const asOf = async () => row(await coverageOf(client)).as_of;
  const before = await asOf();
  await postEvent(origin, 'new_order', { id: 'forged1', user_email: 'mallory@example.net', amount: '9.00' });
  const discarded = async () => row((await client.call('list_recent_events', {})).structuredContent ?? {}).discarded;
  await expect.poll(discarded, soon).toBe(1);
  expect(await asOf()).toBe(before);
  await call(academy, 'POST', '/api/v1/student/enroll', { email: 'nora@example.net', name: 'Nora', course_id: 1 });
  await expect.poll(() => count(client, "email_key = 'nora@example.net'"), soon).toBe(1);
});
