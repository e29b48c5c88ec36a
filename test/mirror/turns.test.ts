import { expect, test } from 'vitest';
import { startExports } from '../support/exports.ts';
import { startMirror } from './start-mirror.ts';

const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

test('one statement of a caller runs and two wait, and the next one is refused', async () => {
  const academy = await startMirror();
  const asked = Array.from({ length: 5 }, () => academy.call('query_data', { sql: endless }));
  const texts = (await Promise.all(asked)).map(({ text }) => text);
  expect(texts.filter((text) => /^invalid_input: the statement ran longer than 2 s/.test(text))).toHaveLength(3);
  expect(texts.filter((text) => /^rate_limited: 2 of your statements wait already/.test(text))).toHaveLength(2);
});

test('a statement leaves the queue when its call is cancelled', async () => {
  const academy = await startMirror();
  const calls = Array.from({ length: 3 }, () => new AbortController());
  const asked = calls.map(({ signal }) =>
    academy.client.callTool({ name: 'query_data', arguments: { sql: endless } }, undefined, { signal }),
  );
  for (const call of calls) call.abort();
  await Promise.allSettled(asked);
  // Behind one that runs and two that wait, these would be refused.
  const next = await Promise.all([1, 2].map((n) => academy.call('query_data', { sql: `SELECT ${n} AS n` })));
  expect(next.map(({ structured }) => structured?.rows)).toEqual([[{ n: 1 }], [{ n: 2 }]]);
});

test('a caller with endless exports does not hold up the statement of another', async () => {
  const academy = await startExports();
  const { call } = await academy.another({ caller: 'other' });
  const ended: string[] = [];
  const exports = [1, 2].map(async (number) => {
    const { text } = await academy.call('export_data', { sql: endless });
    ended.push(`export ${number}`);
    return text;
  });
  while (!ended.includes('export 2')) {
    const { structured } = await call('query_data', { sql: 'SELECT 1 AS one' });
    expect(structured?.rows).toEqual([{ one: 1 }]);
    ended.push('query');
  }
  expect(ended.join(', ')).toContain('export 1, query, export 2');
  for (const text of await Promise.all(exports)) expect(text).toContain('while others wait');
});
