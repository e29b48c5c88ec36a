import { expect, test } from 'vitest';
import type { Row } from '../support/academy.ts';
import { connectToApi } from '../support/connect.ts';
import type { Reply } from '../support/recorder.ts';

async function reading(reply: Reply, tool: string, args: Row) {
  const { call } = await connectToApi(reply);
  return await call(tool, args);
}

const details = ['get_student_details', { email: 'ann@example.com' }] as const;

test.each([
  { error: 'Record not found', errors: [{ code: 'not_found', message: 'Record not found' }] },
  { error: 'Record not found' },
  { code: 'NOT_FOUND', message: 'none' },
  {},
])('a 404 with %j means that the record does not exist', async (body) => {
  expect((await reading({ status: 404, body }, ...details)).text).toMatch(/^not_found: /);
});

const page = { headers: { 'content-type': 'text/html' }, body: '<html><title>404</title></html>' };

test.each([
  { what: 'a web page', reply: page, says: 'the answer was 404 with a web page' },
  {
    what: 'another code',
    reply: { body: { error: 'Gone', errors: [{ code: 'endpoint_not_available', message: 'Gone' }] } },
    says: 'endpoint_not_available',
  },
  {
    what: 'a code instead of a message',
    reply: { body: { error: 'endpoint_not_available' } },
    says: 'endpoint_not_available',
  },
  { what: 'a message about the endpoint', reply: { body: { error: 'No such endpoint' } }, says: 'No such endpoint' },
  { what: 'no body', reply: {}, says: 'without JSON that says' },
])('a 404 with $what does not mean that the record is missing', async ({ reply, says }) => {
  const { text } = await reading({ status: 404, ...reply }, ...details);
  expect(text).toMatch(/^unexpected_response: /);
  expect(text).toContain(says);
  expect(text).toContain('could not be read');
});

test('a bulk plan does not treat students as new if the endpoint is missing', async () => {
  const { call } = await connectToApi(({ path }) =>
    path.endsWith('/details') ? { status: 404, ...page } : { body: { id: 7, title: 'Piano' } },
  );
  const students = [{ email: 'ann@example.com', name: 'Ann' }];
  const { text } = await call('sync_roster', { product: 'course 7', students });
  expect(text).toMatch(/^Plan, nothing was changed: no student is left to enroll/);
  expect(text).toMatch(/^Doubtful, left out: ann@example\.com \(.*could not be read/m);
  expect(text).toContain('include_doubtful');
});

const records: readonly (readonly [string, Row])[] = [
  details,
  ['get_course', { course_id: 7 }],
  ['get_account', {}],
  ['get_product', { product_type: 'course', id_or_slug: '7' }],
  ['get_channel', { id_or_slug: '21' }],
  ['get_order', { order_id: 'ord_1' }],
  ['get_course_structure', { course_id: 7 }],
  ['get_course_completion', { course_id: 7, user_email: 'ann@example.com' }],
];

test.each(records)('%s reports an error, not an empty record, for a 200 without a record', async (tool, args) => {
  let body: unknown;
  const { call } = await connectToApi(() => ({ body: JSON.stringify(body) }));
  for (body of [{}, null, '', { student: null }, { data: {} }, { message: 'Hello' }, { error: 'Try later' }]) {
    expect((await call(tool, args)).text, JSON.stringify(body)).toMatch(/^unexpected_response: /);
  }
});

test.each(['list_orders', 'list_courses', 'list_students', 'search_channels', 'list_roles'])(
  '%s does not show an empty list for a 200 with an error or without a list',
  async (tool) => {
    let body: unknown;
    const { call } = await connectToApi(() => ({ body: JSON.stringify(body) }));
    const key = { list_orders: 'orders', list_courses: 'courses', list_students: 'students', list_roles: 'roles' }[
      tool
    ];
    const bodies = [
      {},
      { errors: [] },
      { errors: [{ code: 'x', message: 'Try later' }] },
      { error: 'Try later', [key ?? 'channels']: [] },
      { success: false, [key ?? 'channels']: [] },
    ];
    for (body of bodies) expect((await call(tool)).text, JSON.stringify(body)).toMatch(/^unexpected_response: /);
  },
);

test.each([
  { form: 'camelCase', body: { id: 'ord_1', userEmail: 'ann@example.com', createdAt: '2026-01-01T00:00:00Z' } },
  {
    form: 'JSON:API',
    body: { data: { id: 'ord_1', type: 'orders', attributes: { user_email: 'ann@example.com', status: 'paid' } } },
  },
])('a record in $form is incomplete, and its fields are shown as they came', async ({ body }) => {
  const { structured, text } = await reading({ body }, 'get_order', { order_id: 'ord_1' });
  expect(structured).toMatchObject({ id: 'ord_1', coverage: { complete: false } });
  expect(text).toMatch(/^Incomplete \(/);
  expect(text).toContain('ann@example.com');
});

test.each([
  { form: 'PascalCase', body: { Id: 'ord_1', UserEmail: 'ann@example.com', CreatedAt: '2026-01-01T00:00:00Z' } },
  {
    form: 'a wrapper of another name',
    body: { status: 'ok', result: { id: 'ord_1', user_email: 'ann@example.com', created_at: '2026-01-01T00:00:00Z' } },
  },
])('a record in $form could not be read', async ({ body }) => {
  const { text } = await reading({ body }, 'get_order', { order_id: 'ord_1' });
  expect(text).toMatch(/^unexpected_response: .*could not be read/);
});

test('a list of unrelated records is an error', async () => {
  const { text } = await reading({ body: { orders: [{ foo: 1 }, { foo: 2 }] } }, 'list_orders', {});
  expect(text).toMatch(/^unexpected_response: .*its records have none of the fields/);
});

test('a 200 with an error shows the message of the API', async () => {
  const { text } = await reading({ body: { error: 'Try later' } }, ...details);
  expect(text).toContain('the API answered 200 with an error');
  expect(text).toContain('"Try later"');
});

async function refusal(reply: Reply) {
  const { call, requests } = await connectToApi(reply);
  const { text } = await call('get_course', { course_id: 7 });
  return { text, call, requests };
}

test.each([
  {
    body: {
      error: 'Validation failed',
      errors: [{ message: 'Title is too long' }, { message: 'Price is not a number' }],
    },
  },
  { body: { error: 'Validation failed', errors: ['Title is too long', 'Price is not a number'] } },
  { body: { error: 'Validation failed', errors: { base: ['Title is too long', 'Price is not a number'] } } },
  {
    body: {
      message: 'Validation failed',
      errors: [{ detail: 'Title is too long' }, { title: 'Price is not a number' }],
    },
  },
  { body: { error: { message: 'Validation failed', errors: ['Title is too long', 'Price is not a number'] } } },
])('every reason is shown beside the error: $body', async ({ body }) => {
  const { text } = await refusal({ status: 422, body });
  for (const words of ['Validation failed', 'Title is too long', 'Price is not a number'])
    expect(text).toContain(words);
  expect(text).not.toContain('Supported fields');
});

test('reasons per field name the field', async () => {
  const { text } = await refusal({
    status: 422,
    body: { errors: { title: ["can't be blank"], price: ['is negative'] } },
  });
  expect(text).toContain("title: can't be blank");
  expect(text).toContain('price: is negative');
  expect(text).not.toContain('Supported fields');
});

test.each([
  { status: 422, body: 'Seats are sold out', says: '"Seats are sold out"' },
  { status: 403, headers: { 'content-type': 'text/html' }, body: '<title>Blocked</title><p>Go</p>', says: '"Blocked"' },
])('the message of a $status that is not JSON is shown', async ({ says, ...reply }) => {
  expect((await refusal(reply)).text).toContain(says);
});

test('a list of a thousand reasons is cut', async () => {
  const errors = Array.from({ length: 1_000 }, (_, index) => ({ message: `Reason ${index}` }));
  const { text } = await refusal({ status: 422, body: { error: 'No', errors } });
  expect(text.length).toBeLessThan(900);
  expect(text).toContain('Reason 1');
});

const html = { 'content-type': 'text/html; charset=UTF-8' };

test.each([
  { status: 401, headers: html, body: '<html>Proxy</html>' },
  { status: 403, headers: html, body: '<!DOCTYPE html><title>Attention Required! | Cloudflare</title>' },
  { status: 403, headers: { 'content-type': 'text/plain' }, body: 'error code: 1020' },
  { status: 503, headers: html, body: '<html>Just a moment...</html>' },
])('a $status of a proxy says nothing about the key', async (reply) => {
  const { text, call, requests } = await refusal(reply);
  expect(text).toMatch(reply.status < 500 ? /^unexpected_response: / : /^api_unavailable: /);
  expect(text).toContain('a proxy or firewall answered');
  expect(text).toContain('not the API');
  expect(text).not.toMatch(/key is not|key is missing|of an admin/);
  const before = requests.length;
  await call('get_course', { course_id: 8 });
  expect(requests.length).toBeGreaterThan(before);
});
