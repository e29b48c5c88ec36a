import { expect, test } from 'vitest';
import { start } from '../support/sandbox.ts';
import { startRewriting } from './rewriting.ts';
import { startMirror } from './start-mirror.ts';

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
