import { expect, test } from 'vitest';
import { figures } from './figures/index.ts';

// Each figure in its short form; `npm run reliability` runs them whole and writes docs/reliability.md.

const seed = 1;
const longest = 120_000;

// The conformance suite fetches itself and a newer Node: `npm run conformance` runs it.
for (const { id, title, target, run } of figures.filter(({ id }) => id !== 'F17')) {
  test(`${id}: ${title}`, { timeout: longest }, async () => {
    const { failures, reached, result } = await run('short', seed);
    expect(failures).toEqual([]);
    expect(reached, `${result}; target: ${target}`).toBe(true);
  });
}
