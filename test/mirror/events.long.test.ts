import { expect, test } from 'vitest';
import { row, rows } from '../support/academy.ts';
import { connectTo } from '../support/accounts.ts';
import type { EraClient } from '../support/eras.ts';
import { postEvent, startWithEvents } from '../support/events.ts';
import { call } from '../support/sandbox.ts';

/** Longer than a check of an event, and shorter than the two minutes between two looks for new orders. */
const soon = { timeout: 30_000, interval: 100 };

const coverageOf = async (client: EraClient) =>
  row((await client.call('describe_data', {})).structuredContent).coverage;

const listed = async (client: EraClient) =>
  rows(row((await client.call('list_recent_events', {})).structuredContent).events ?? []);

async function count(client: EraClient, where: string): Promise<unknown> {
  const answer = await client.call('query_data', { sql: `SELECT count(*) AS n FROM orders WHERE ${where}` });
  return rows(row(answer.structuredContent).rows)[0]?.n;
}

test('an order that an event announces is in the mirror soon, and an event that is not verified changes nothing', async () => {
  const { url, academy, origin, log } = await startWithEvents(
    { ACADEMY_MIRROR: 'memory' },
    { sandbox: { students: 30 } },
  );
  const client = await connectTo(url, undefined);
  await client.listTools();
  await expect.poll(() => coverageOf(client), soon).toMatchObject({ complete: true });
  // The list of students is read again after an hour, or after an event that the API confirms.
  const looks = () => log.filter((line) => line.includes('"students.listStudents"')).length;
  const before = looks();
  expect(before).toBeGreaterThan(0);
  const email = academy.academy.students.get(1)?.email;
  await postEvent(origin, 'new_student', { id: 2, name: 'Another', email });
  const checks = async () => (await listed(client)).map(({ check }) => check);
  await expect.poll(checks, soon).toEqual(['not_verified']);
  const orders = Number(await count(client, '1'));
  for (const course_id of [1, 2]) {
    await call(academy, 'POST', '/api/v1/student/enroll', { email, name: 'Nora', course_id });
    await expect.poll(() => count(client, '1'), soon).toBe(orders + course_id);
  }
  expect(looks()).toBe(before);
});
