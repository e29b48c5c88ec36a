import { expect, test } from 'vitest';
import { figures } from './figures/index.ts';

// Each figure in its short form; `npm run reliability` runs them whole and writes docs/reliability.md.

const seed = 1;
const longest = 120_000;

for (const { id, title, target, run } of figures) {
  test(`${id}: ${title}`, { timeout: longest }, async () => {
    const { failures, reached, result } = await run('short', seed);
    expect(failures).toEqual([]);
    expect(reached, `${result}; target: ${target}`).toBe(true);
  });
}
