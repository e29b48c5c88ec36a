import { expect, test } from 'vitest';
import { start } from '../support/sandbox.ts';
import { startRewriting } from './rewriting.ts';
import { rowsOf, startMirror, whenFilled } from './start-mirror.ts';

test('posts that a whole reading lacks are missing until a whole reading shows them', async () => {
  const sandbox = await start({ rateLimit: 'off', students: 20, orders: 20 });
  let isBroken = true;
  const posts = (post: object) => (isBroken ? { ...post, id: 1 } : { ...post });
  const ACADEMY_BASE_URL = await startRewriting(sandbox.url, { posts });
  const academy = await startMirror({}, { ACADEMY_BASE_URL, ACADEMY_API_KEY: sandbox.apiKey });
  const first = await academy.call('refresh_data', { what: 'posts' });
  expect(first.structured).toMatchObject({ finished: false, coverage: { complete: false } });
  isBroken = false;
  const { structured } = await academy.call('refresh_data', { what: 'posts' });
  expect(structured).toMatchObject({ finished: true, coverage: { complete: true } });
});

test('the lessons of a course that the API refuses to show stay, and the table is not complete', async () => {
  const sandbox = await start({ rateLimit: 'off', students: 20, orders: 20 });
  let isRefused = false;
  const refuses = (path: string) => (isRefused && path.endsWith('/courses/1/lessons') ? 403 : undefined);
  const ACADEMY_BASE_URL = await startRewriting(sandbox.url, {}, refuses);
  const academy = await startMirror({}, { ACADEMY_BASE_URL, ACADEMY_API_KEY: sandbox.apiKey });
  await whenFilled(academy);
  const lessons = () => rowsOf(academy, 'SELECT count(*) AS n FROM lessons WHERE course_id = 1');
  const before = await lessons();
  expect(before).not.toEqual([{ n: 0 }]);
  isRefused = true;
  for (let reading = 0; reading < 3; reading += 1) {
    const { structured } = await academy.call('refresh_data', { what: 'structures' });
    expect([structured, await lessons()]).toMatchObject([{ coverage: { complete: false } }, before]);
  }
  isRefused = false;
  const { structured } = await academy.call('refresh_data', { what: 'structures' });
  expect(structured).toMatchObject({ finished: true, coverage: { complete: true } });
});
