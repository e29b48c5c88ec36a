import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { expectError, request, under } from '../support/academy.ts';
import { bearer, call, start } from '../support/sandbox.ts';

const enroll = '/api/v1/student/enroll';
const json = { 'content-type': 'application/json' };

test.each([
  ['cut JSON', '{"email": "ana@example.com"', 'application/json'],
  ['a list', '["ana@example.com"]', 'application/json'],
  ['a text', '"ana"', 'application/json'],
  ['broken UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'application/json'],
  ['10,000 open brackets', '['.repeat(10_000), 'application/json'],
  ['a multipart form without a boundary', 'x', 'multipart/form-data'],
])('a body of %s is 400', async (_what, body, type) => {
  const { url, apiKey } = await start();
  const headers = { ...bearer(apiKey), 'content-type': type };
  const response = await fetch(url + enroll, { method: 'POST', headers, body });
  const answer = { status: response.status, headers: response.headers, body: await response.json() };
  expectError(answer, 400, 'bad_request');
});

test('a body of 1 MiB is accepted and a larger one is 413', async () => {
  const sandbox = await start();
  const fill = (size: number) => ({ email: 'ana@example.com', name: 'Ana', more: 'x'.repeat(size) });
  const frame = JSON.stringify(fill(0)).length;
  expect((await call(sandbox, 'POST', enroll, fill(1024 * 1024 - frame))).status).toBe(200);
  expectError(await call(sandbox, 'POST', enroll, fill(1024 * 1024 - frame + 1)), 413, 'payload_too_large');
});

test('a request with an incomplete body changes nothing', async () => {
  const sandbox = await start();
  const before = sandbox.academy.students.all().length;
  const { port } = new URL(sandbox.url);
  const body = JSON.stringify({ email: 'ana@example.com', name: 'Ana' });
  const head = `POST ${enroll} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sandbox.apiKey}\r\nContent-Type: application/json`;
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`${head}\r\nContent-Length: ${body.length + 1}\r\n\r\n${body}`, () => socket.destroy());
    });
    socket.on('close', () => resolve());
  });
  expect((await call(sandbox, 'GET', '/api/v1/account')).status).toBe(200);
  expect(sandbox.academy.students.all()).toHaveLength(before);
});

test('parameters can be JSON, a form or a multipart form', async () => {
  const { url, apiKey, academy } = await start();
  const form = new URLSearchParams({ email: 'form@example.com', name: 'Form & Co' });
  const parts = new FormData();
  for (const [name, value] of [
    ['email', 'parts@example.com'],
    ['name', 'Pärts'],
  ] as const)
    parts.set(name, value);
  const text = JSON.stringify({ email: 'json@example.com', name: 'Json' });
  for (const [body, type] of [
    [form, {}],
    [parts, {}],
    [text, json],
  ] as const) {
    const response = await fetch(url + enroll, { method: 'POST', headers: { ...bearer(apiKey), ...type }, body });
    expect(response.status).toBe(200);
  }
  const names = ['form', 'parts', 'json'].map((user) => academy.students.withEmail(`${user}@example.com`)?.name);
  expect(names).toEqual(['Form & Co', 'Pärts', 'Json']);
});

test('a form nests with brackets and sends null as a blank', async () => {
  const sandbox = await start();
  const form = new URLSearchParams({ 'channel[name]': 'From a form', 'channel[locked]': 'true' });
  const made = under((await call(sandbox, 'POST', '/api/v1/community/channels', form)).body, 'channel');
  expect(made).toMatchObject({ name: 'From a form', locked: true });
  const lesson = sandbox.academy.lessons.all().find(({ module_id }) => module_id !== null);
  const ungrouped = await call(
    sandbox,
    'PATCH',
    `/api/v1/lessons/${lesson?.id}`,
    new URLSearchParams({ module_id: '' }),
  );
  expect(under(ungrouped.body, 'lesson').module_id).toBeNull();
});

test('a JSON body is accepted without a content type', async () => {
  const { url, apiKey } = await start();
  const body = JSON.stringify({ email: 'ana@example.com', name: 'Ana' });
  const response = await fetch(url + enroll, { method: 'POST', headers: bearer(apiKey), body });
  expect(response.status).toBe(200);
});

test('names such as __proto__ are ordinary parameters', async () => {
  const { url, apiKey } = await start();
  const body = '{"__proto__": {"email": "ana@example.com"}, "constructor": 1, "name": "Ana"}';
  const response = await fetch(url + enroll, { method: 'POST', headers: { ...bearer(apiKey), ...json }, body });
  expect(response.status).toBe(422);
  const query = await request(
    `${url}/api/v1/products?__proto__=1&constructor=2&toString=3`,
    'GET',
    undefined,
    bearer(apiKey),
  );
  expect(query.status).toBe(200);
});
