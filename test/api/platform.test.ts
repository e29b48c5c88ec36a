import { expect, onTestFinished, test } from 'vitest';
import { createApi } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { getAccount } from '../../src/contract/account.ts';
import { getCourse } from '../../src/contract/courses.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { connect } from '../support/connect.ts';
import { type Reply, startRecorder } from '../support/recorder.ts';

async function client(reply: Reply) {
  const { url } = await startRecorder(reply);
  const log: string[] = [];
  const config = loadConfig({}, { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: 'key', ACADEMY_RATE_LIMIT: 'off' });
  const api = createApi(config, createLogger('warn', ['key'], { write: (line) => log.push(line) }));
  onTestFinished(() => api.close());
  return { api, log };
}

const course = { id: 7, title: 'Piano' };
const at = (ms: number) => new Date(Date.now() + ms).toUTCString();

test.each([
  { difference: 3 * 3_600_000, shift: 'ahead' },
  { difference: -2 * 3_600_000, shift: 'behind' },
])('the clock of a server that is hours $shift is measured and applied', async ({ difference }) => {
  const { api } = await client({ headers: { date: at(difference), 'x-api-version': 'v1' }, body: course });
  expect({ version: api.apiVersion(), shift: api.clockShiftMs() }).toEqual({ version: undefined, shift: 0 });
  await api.call(getCourse, { course_id: 7 });
  expect(api.apiVersion()).toBe('v1');
  expect(Math.abs(api.clockShiftMs() - difference)).toBeLessThan(30_000);
});

test('a difference of seconds is ignored, and so is a server without a Date header', async () => {
  const { api } = await client({ headers: { date: at(-20_000) }, body: course });
  await api.call(getCourse, { course_id: 7 });
  expect(api.clockShiftMs()).toBe(0);
  const { api: other } = await client({ headers: { date: 'yesterday' }, body: course });
  await other.call(getCourse, { course_id: 7 });
  expect(other.clockShiftMs()).toBe(0);
});

test.each([
  { version: undefined, says: 'answers do not name their API version' },
  { version: 'v2', says: 'answers are of another API version' },
])('API version $version is logged once', async ({ version, says }) => {
  const { api, log } = await client({
    headers: version === undefined ? {} : { 'x-api-version': version },
    body: course,
  });
  await api.call(getCourse, { course_id: 7 });
  await api.call(getCourse, { course_id: 7 });
  expect(log.filter((line) => line.includes(says))).toHaveLength(1);
  expect(api.apiVersion()).toBe(version);
});

test('an error answer does not change the known API version', async () => {
  const { api, log } = await client({ status: 401, body: { error: 'No' } });
  await api.call(getCourse, { course_id: 7 }).catch(() => {});
  expect(log).toEqual([]);
  expect(api.apiVersion()).toBeUndefined();
});

test('once the capabilities are known, a 403 names the one that is off', async () => {
  const capabilities = { admin_api: true, manage_lessons: false, manage_products: true };
  const { url, requests } = await startRecorder(({ path }) =>
    path.endsWith('/account')
      ? { body: { account: { subdomain: 'a' }, capabilities, webhook_events: [] } }
      : { status: 403, body: { error: 'Forbidden' } },
  );
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_PREFLIGHT: 'false' });
  const lesson = { lesson_id: 60, title: 'Scales' };
  expect((await call('update_lesson', lesson)).text).not.toContain('capability');
  await call('get_account');
  const { text } = await call('update_lesson', lesson);
  expect(text).toMatch(/^forbidden: /);
  expect(text).toContain("this account's API cannot manage lessons (capability manage_lessons is off)");
  expect(text).toContain('Outcome: not_applied');
  expect(text).not.toContain('not of an admin');
  const price = { product_type: 'course', id_or_slug: '7', price: '9.00' };
  expect((await call('update_product', price)).text).toContain("The key is not an admin's");
  // update_product reads the old price first.
  expect(requests).toHaveLength(5);
});

test('a read that waits for a retry fails at once when the program ends', async () => {
  const academy = await startRecorder({ status: 503, body: { error: 'down' } });
  const config = loadConfig({}, { ACADEMY_BASE_URL: academy.url, ACADEMY_API_KEY: 'key', ACADEMY_RATE_LIMIT: 'off' });
  // The pauses last up to a minute, so the program ends during one of them.
  const api = createApi(config, createLogger('silent', [], { write: () => {} }), { pace: 100 });
  const call = api.call(getAccount, {});
  const refused = expect(call).rejects.toMatchObject({ name: 'AcademyError', code: 'cancelled' });
  await expect.poll(() => academy.requests.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const closed = api.close();
  api.endReads();
  await refused;
  await closed;
});
