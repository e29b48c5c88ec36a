import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, open, readFile, truncate, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { createJournal } from '../../src/sandbox/journal/journal.ts';
import { request } from '../support/academy.ts';
import { enroll, has, lines } from '../support/journal.ts';
import { bearer, start, temporaryFile } from '../support/sandbox.ts';

test('a cut last line is dropped, whatever byte it was cut at, and the journal continues from there', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data });
  await enroll(first, 'kept');
  const kept = (await readFile(data)).length;
  await enroll(first, 'cut');
  await first.close();
  const whole = await readFile(data);
  for (const length of [kept + 1, Math.floor((kept + whole.length) / 2), whole.length - 2]) {
    await writeFile(data, whole.subarray(0, length));
    const second = await start({ data });
    expect([has(second, 'kept'), has(second, 'cut')]).toEqual([true, false]);
    await enroll(second, 'later');
    await second.close();
    expect(await lines(data)).toHaveLength(3);
    const third = await start({ data });
    expect([has(third, 'kept'), has(third, 'later')]).toEqual([true, true]);
    await third.close();
  }
});

test('every answered write survives a kill in the middle of many', async () => {
  const data = await temporaryFile('journal.jsonl');
  const script = `import { startSandbox } from './src/sandbox/index.ts';
    console.log((await startSandbox({ data: ${JSON.stringify(data)}, students: 20, orders: 40, rateLimit: 'off' })).url);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = String(await once(child.stdout, 'data')).trim();
  const answered: string[] = [];
  const write = async (email: string) => {
    const body = { email, name: 'User' };
    const answer = await request(`${url}/api/v1/student/enroll`, 'POST', body, bearer('sandbox-admin-key'));
    if (answer.status === 200 && answered.push(email) === 50) child.kill('SIGKILL');
  };
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let count = 0; count < 100; count += 1) await write(`user-${writer}-${count}@example.com`);
  });
  const ended = once(child, 'exit');
  await Promise.allSettled(writers);
  await ended;
  expect(answered.length).toBeGreaterThanOrEqual(50);
  expect(answered.length).toBeLessThan(800);
  const { academy } = await start({ data });
  expect(answered.filter((email) => academy.students.withEmail(email) === undefined)).toEqual([]);
});

test('a journal that cannot be written fails, and accepts nothing more', async () => {
  const file = await temporaryFile('journal.jsonl');
  await writeFile(file, '');
  const journal = createJournal(await open(file, 'r'));
  const entry = { at: '2026-03-01T09:00:00.000Z', account: 'demo', operation: 'access.enrollStudent', input: {} };
  expect(journal.broken).toBe(false);
  await expect(Promise.all([journal.append(entry), journal.append(entry)])).rejects.toThrow('EBADF');
  expect(journal.broken).toBe(true);
  await expect(journal.append(entry)).rejects.toThrow('EBADF');
  await journal.close();
});

test('a last line without its line feed is kept', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data });
  await enroll(first, 'ana');
  await first.close();
  await truncate(data, (await readFile(data)).length - 1);
  const second = await start({ data });
  await enroll(second, 'ben');
  await second.close();
  const third = await start({ data });
  expect([has(third, 'ana'), has(third, 'ben')]).toEqual([true, true]);
});

test('a cut header is written again', async () => {
  const data = await temporaryFile('journal.jsonl');
  await writeFile(data, '{"journal":1,"acc');
  await enroll(await start({ data }), 'ana');
  expect(await lines(data)).toHaveLength(2);
});

test.each([
  ['invalid JSON', 'nonsense'],
  ['an empty line', ''],
  ['an unknown operation', '{"at":"2026-03-01T09:00:00Z","account":"demo","operation":"a.b","input":{}}'],
  ['an unknown activity', '{"at":"2026-03-01T09:00:00Z","account":"demo","operation":"activity.toString","input":{}}'],
  ['an unknown account', '{"at":"2026-03-01T09:00:00Z","account":"x","operation":"access.enrollStudent","input":{}}'],
  ['invalid input', '{"at":"2026-03-01T09:00:00Z","account":"demo","operation":"access.enrollStudent","input":{}}'],
  [
    'an impossible write',
    '{"at":"2026-03-01T09:00:00Z","account":"demo","operation":"access.grantRole","input":{"email":"x@example.com","role_id":1}}',
  ],
  ['an unknown field', '{"at":"2026-03-01T09:00:00Z","account":"demo","operation":"a.b","input":{},"more":1}'],
])('any other invalid line stops the start with an error that names file and line: %s', async (_what, line) => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data });
  await enroll(first, 'ana');
  await first.close();
  await appendFile(data, `${line}\n`);
  const before = await readFile(data, 'utf8');
  await expect(start({ data })).rejects.toThrow(`${data}, line 3: `);
  expect(await readFile(data, 'utf8')).toBe(before);
});

test.each([
  [{ seed: 2 }, 'seed 1'],
  [{ students: 21 }, 'students 20'],
  [{ orders: 41 }, 'orders 40'],
  [{ sequence: 'shift' }, 'sequence absolute'],
] as [SandboxOptions, string][])(
  'a start with %o over another journal fails with the settings of the journal',
  async (options, says) => {
    const data = await temporaryFile('journal.jsonl');
    await (await start({ data })).close();
    await expect(start({ data, ...options })).rejects.toThrow(says);
  },
);
