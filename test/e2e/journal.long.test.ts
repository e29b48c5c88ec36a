import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { journalInFile } from '../../src/api/writes/journal.ts';
import { type Exchange, startFaultServer } from '../reliability/fault-server.ts';
import { runHere } from '../support/command-line.ts';
import { callOf, hello, messagesIn, start } from '../support/program.ts';
import { start as startSandbox, temporaryFile } from '../support/sandbox.ts';

test('a write of a program that was killed is looked for at the next start, without a call', async () => {
  const sandbox = await startSandbox({ students: 10, orders: 20, rateLimit: 'off' });
  const between = await startFaultServer(sandbox.url);
  // Every write is made, and none is answered.
  const silence = { at: 'body', act: async ({ work }: Exchange) => void (await work()) } as const;
  between.arm({ name: 'silence', fault: silence, match: (method) => method !== 'GET', times: 9 });
  const writes = () => between.log.filter(({ method, worked }) => worked && method !== 'GET');
  const journal = await temporaryFile('journal.jsonl');
  const environment = { ACADEMY_BASE_URL: between.url, ACADEMY_API_KEY: sandbox.apiKey, ACADEMY_JOURNAL: journal };
  const killed = start([], environment);
  killed.send(...hello, callOf(2, 'update_channel', { id_or_slug: '1', description: 'New words' }));
  await expect.poll(writes, { timeout: 60_000 }).toHaveLength(1);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const lines = async () =>
    (await readFile(journal, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  expect(await lines()).toMatchObject([{ line: 'sent', tool: 'update_channel' }]);

  const next = start([], environment);
  next.send(...hello, { id: 2, method: 'tools/list' });
  await expect
    .poll(lines, { timeout: 60_000 })
    .toMatchObject([{}, { line: 'done', outcome: 'applied', verified: true }]);
  next.send(callOf(3, 'list_changes'));
  const answer = () => messagesIn(next.written.stdout).find(({ id }) => id === 3)?.result?.structuredContent;
  await expect.poll(answer, { timeout: 60_000 }).toMatchObject({ changes: [{ outcome: 'applied' }] });
  expect(writes()).toHaveLength(1);
  next.child.stdin?.end();
  await next.ended;
});

test('journal purge deletes lines from before a day that exists, and says how many', async () => {
  const file = await temporaryFile('journal.jsonl');
  const lines = ['2026-02-27T23:59:59Z', '2026-02-28T00:00:00Z'].map(
    (at) => `${JSON.stringify({ at: Date.parse(at) })}\n`,
  );
  await writeFile(file, lines.join(''), { mode: 0o600 });
  const purge = (before: string) => runHere(['journal', 'purge', '--before', before, '--journal', file]);
  for (const wrong of ['2026-02-30', '2026', 'yesterday'])
    expect(await purge(wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining('--before must be') });
  expect(await readFile(file, 'utf8')).toBe(lines.join(''));
  expect(await purge('2026-02-28')).toEqual({ code: 0, stdout: 'Deleted 1 line of the journal.\n', stderr: '' });
  expect(journalInFile(file).read()).toHaveLength(1);
});
