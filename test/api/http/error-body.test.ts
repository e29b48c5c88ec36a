import { expect, test } from 'vitest';
import { connect } from '../../support/connect.ts';
import { type Reply, startRecorder } from '../../support/recorder.ts';

async function refusal(reply: Reply) {
  const { url, requests } = await startRecorder(reply);
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' });
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
