import { expect, test } from 'vitest';
import type { Row } from '../../support/academy.ts';
import type { Recorded, Reply } from '../../support/recorder.ts';
import { answering } from '../../support/writes.ts';

const students = ['ann@example.com', 'bo@example.com', 'cy@example.com', 'di@example.com'].map((email) => ({
  email,
  name: email.split('@')[0],
}));

const page: Reply = { headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' };

/** What each is answered: one is enrolled, one denied, one meets a web page, one is shown another course. */
const replies: Record<string, Reply> = {
  'ann@example.com': { body: { success: true } },
  'bo@example.com': { body: { success: false, message: 'Seats are sold out' } },
  'cy@example.com': page,
  'di@example.com': { body: { order: { id: 'ord_1', courses: [{ id: 8 }] } } },
};

function onRead({ path, query }: Recorded): Reply {
  if (path.endsWith('/courses/7')) return { body: { id: 7, title: 'Piano' } };
  const email = new Map(query).get('email');
  if (path.endsWith('/details')) return { body: { email, name: email?.split('@')[0], paid_orders: [] } };
  return { body: { orders: [], meta: { total_pages: 0, total_orders: 0 } } };
}

test('a bulk enrollment reports each student by the response body, not the status code', async () => {
  const emailOf = ({ body }: Recorded) => String((body as Row).email);
  const { call } = await answering((request) => replies[emailOf(request)] ?? {}, onRead);
  const { structured, text } = await call('sync_roster', { product: 'course 7', students, confirm: true });
  expect(structured?.totals, text).toEqual({ applied: 1, failed: 1, unknown: 2 });
  const fates = structured?.students as Record<string, string>;
  expect(fates['ann@example.com']).toBe('applied');
  expect(fates['bo@example.com']).toMatch(/^failed: .*Seats are sold out/);
  expect(fates['cy@example.com']).toMatch(/^unknown: .*web page/);
  expect(fates['di@example.com']).toMatch(/^unknown: .*course_id/);
});
