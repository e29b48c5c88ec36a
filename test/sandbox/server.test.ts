import { expect, test } from 'vitest';
import { expectError, request } from '../support/academy.ts';
import { bearer, call, start } from '../support/sandbox.ts';

test.each([
  ['GET', '/'],
  ['GET', '/api/v1'],
  ['GET', '/api/v1/nothing'],
  ['GET', '/api/v2/courses'],
  ['GET', '/account'],
  ['GET', '/api/v1/webhooks'],
  ['POST', '/api/v1/webhooks'],
  ['POST', '/api/v1/orders'],
  ['DELETE', '/api/v1/community/channels/1'],
  ['GET', '/api/v1/courses/1/lessons/2'],
  ['GET', '/api/v1//courses'],
  ['DELETE', '/api/v1/courses/1'],
  ['POST', '/api/v1/courses'],
  ['GET', '/api/v1/student/enroll'],
  ['PUT', '/api/v1/student/enroll'],
  ['OPTIONS', '/api/v1/courses'],
  ['GET', '/api/v1/courses/%'],
  ['GET', '/api/v1/products/course/%zz'],
  ['GET', '/api/v1/products/course/%C3%28'],
  ['GET', '/%E0%A4%A/api/v1/courses'],
])('%s %s is 404 with the error body, and the server keeps running', async (method, path) => {
  const sandbox = await start();
  const answer = await call(sandbox, method, path);
  const body = expectError(answer, 404, 'not_found');
  expect(Object.keys(body).sort()).toEqual(['error', 'errors', 'request_id']);
  expect(body).toMatchObject({ error: 'endpoint not available', request_id: answer.headers.get('x-request-id') });
  expect((await call(sandbox, 'GET', '/api/v1/account')).status).toBe(200);
});

test('a trailing slash is ignored', async () => {
  const sandbox = await start();
  expect((await call(sandbox, 'GET', '/api/v1/courses/')).status).toBe(200);
});

test('an encoded slash does not split a segment', async () => {
  const sandbox = await start();
  expectError(await call(sandbox, 'GET', '/api/v1/products/course/a%2Fb'), 404);
  expectError(await call(sandbox, 'GET', '/api/v1/products/course/..%2F..%2Faccount'), 404);
});

test('an unexpected error is logged and answered with a 500 without details, and the server keeps running', async () => {
  const lines: string[] = [];
  const sandbox = await start({ log: (line) => lines.push(line) });
  const broken = {
    ...sandbox.academy.settings,
    get subdomain(): string {
      throw new Error('secret detail');
    },
  };
  const { settings } = sandbox.academy;
  Object.assign(sandbox.academy, { settings: broken });
  const answer = await call(sandbox, 'GET', '/api/v1/account');
  Object.assign(sandbox.academy, { settings });
  const body = expectError(answer, 500, 'internal');
  expect(JSON.stringify(body)).not.toContain('secret');
  expect(lines.join('\n')).toContain('secret detail');
  expect(lines.join('\n')).toContain(answer.headers.get('x-request-id'));
  expect((await call(sandbox, 'GET', '/api/v1/account')).status).toBe(200);
});

test('after close the server is unreachable, and a second close has no effect', async () => {
  const sandbox = await start();
  expect((await call(sandbox, 'GET', '/api/v1/account')).status).toBe(200);
  await sandbox.close();
  await sandbox.close();
  await expect(request(`${sandbox.url}/api/v1/account`, 'GET', undefined, bearer(sandbox.apiKey))).rejects.toThrow();
});

test('a request in progress when the server closes is still answered', async () => {
  const sandbox = await start({ latencyMs: 20_000 });
  const students = sandbox.academy.students.all().length;
  const answer = call(sandbox, 'POST', '/api/v1/student/enroll', { email: 'n@example.com', name: 'N' });
  await expect.poll(() => sandbox.academy.students.all().length).toBe(students + 1);
  await sandbox.close();
  expect((await answer).status).toBe(200);
});

test('a port in use fails with an error that names it', async () => {
  const { port } = new URL((await start()).url);
  await expect(start({ port: Number(port) })).rejects.toThrow(`port ${port}`);
});
