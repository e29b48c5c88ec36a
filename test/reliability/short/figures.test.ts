import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { figures } from '../figures/index.ts';

// The conformance suite downloads itself and a newer Node, so only `npm run conformance` runs it.
// Replicas need a redis-server: test/redis/ runs them.
const elsewhere = ['F17', 'F21'];

test('every figure has a file here that runs its short form', async () => {
  const files = await readdir(new URL('.', import.meta.url));
  const run = files.flatMap((file) => /^(f\d+)-.*\.test\.ts$/.exec(file)?.[1]?.toUpperCase() ?? []);
  const wanted = figures.map(({ id }) => id).filter((id) => !elsewhere.includes(id));
  expect(run.toSorted()).toEqual(wanted.toSorted());
});
