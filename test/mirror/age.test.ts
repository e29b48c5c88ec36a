import { expect, onTestFinished, test } from 'vitest';
import { dataTools, tools } from '../../tools/index.ts';
import { startOddAcademy } from '../odd/academy/server.ts';
import type { Row } from '../support/academy.ts';
import { connect } from '../support/connect.ts';
import { whenFilled } from './start-mirror.ts';

/** Less than the time since the newest order. */
const ageMs = 1_200_000;

test('the copy is as old as the answers that a cache on the way gave', async () => {
  const academy = await startOddAcademy([
    { after: (reply) => ({ ...reply, headers: { ...reply.headers, age: String(ageMs / 1000) } }) },
  ]);
  onTestFinished(academy.close);
  const settings = { ACADEMY_BASE_URL: academy.url, ACADEMY_API_KEY: academy.key };
  const connected = await connect(
    { ...settings, ACADEMY_RATE_LIMIT: 'off', ACADEMY_MIRROR: 'memory' },
    { offered: [...tools, ...dataTools] },
  );
  await whenFilled(connected);
  const { structured } = await connected.call('query_data', {
    sql: 'SELECT name, new_up_to, changes_as_of FROM sync WHERE new_up_to IS NOT NULL',
  });
  const rows = (structured?.rows ?? []) as Row[];
  const named = rows.map((row) => String(Object.values(row)[0]));
  expect(named).toEqual(expect.arrayContaining(['orders', 'students', 'courses']));
  for (const row of rows) {
    const [name, ...times] = Object.values(row).map(String);
    // A minute for the filling.
    for (const time of times) expect(Date.parse(time), name).toBeLessThan(Date.now() - ageMs + 60_000);
  }
  const { structured: sales } = await connected.call('sales_report', { period: 'last_week' });
  const { as_of, changes_as_of = as_of } = (sales?.coverage ?? {}) as Row;
  expect(Date.parse(String(changes_as_of))).toBeLessThan(Date.now() - ageMs + 60_000);
});
