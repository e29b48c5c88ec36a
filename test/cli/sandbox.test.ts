import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createCommand } from '../../src/cli/sandbox.ts';
import { request, row, rows } from '../support/academy.ts';
import { bearer, temporaryFile } from '../support/sandbox.ts';

/** Runs `academy-mcp sandbox` with flags until the test ends. */
function run(...flags: string[]) {
  const lines: string[] = [];
  const stop = new AbortController();
  const stdout = new PassThrough({ encoding: 'utf8' });
  stdout.on('data', (text: string) => lines.push(...text.trimEnd().split('\n')));
  const command = createCommand({ stdout, signal: stop.signal });
  command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  const ended = command.parseAsync(['--port', '0', ...flags], { from: 'user' });
  onTestFinished(async () => {
    stop.abort();
    await ended.catch(() => undefined);
  });
  const url = async () => {
    await expect.poll(() => lines.length).toBeGreaterThan(0);
    return /http:\S+/.exec(lines[0] ?? '')?.[0] ?? '';
  };
  return { lines, url, stop: () => stop.abort(), ended };
}

test('the command prints its address, its keys, the amount of data, and a command to try', async () => {
  const { lines, url } = run('--students', '7', '--orders', '9');
  const base = await url();
  const text = lines.join('\n');
  for (const part of [base, 'sandbox-admin-key', 'sandbox-student-key', '7 students', '9 orders'])
    expect(text).toContain(part);
  expect(lines.at(-1)).toBe(`Try: curl -H 'Authorization: Bearer sandbox-admin-key' ${base}/api/v1/account`);
});

test('the command ends when its signal aborts', async () => {
  const { url, stop, ended } = run('--students', '5', '--orders', '5');
  const base = await url();
  stop();
  await ended;
  await expect(request(`${base}/api/v1/account`, 'GET')).rejects.toThrow();
});

test('flags configure the academy', async () => {
  const file = await temporaryFile('journal.jsonl');
  const { url } = run(
    ...['--api-key', 'mine', '--student-key', 'theirs', '--plan', 'academy', '--rate-limit', 'off', '--seed', '3'],
    ...['--students', '6', '--orders', '4', '--now', '2025-05-05T00:00:00', '--data', file, '--sequence', 'shift'],
    ...['--latency', '1', '--fail', '0', '--activity', '0', '--protect-course', '1', '--protect-course', '2'],
    ...[
      '--webhook',
      'new_order=http://127.0.0.1:9/?a=b',
      '--webhook',
      'new_student=http://127.0.0.1:9/',
      '--host',
      '127.0.0.1',
    ],
  );
  const base = await url();
  const students = rows(
    row((await request(`${base}/api/v1/students`, 'GET', undefined, bearer('mine'))).body).students,
  );
  expect(students).toHaveLength(6);
  for (const { created_at } of students)
    expect(Date.parse(String(created_at))).toBeLessThan(Date.parse('2025-05-05T00:00:01Z'));
  expect((await request(`${base}/api/v1/students`, 'GET', undefined, bearer('theirs'))).status).toBe(403);
});

test('several accounts are read from a file', async () => {
  const file = await temporaryFile('accounts.json');
  const account = { students: 5, orders: 5 };
  await writeFile(
    file,
    JSON.stringify([
      { subdomain: 'north', api_keys: ['k1'], ...account },
      { subdomain: 'south', api_keys: ['k2'], students: 6, orders: 8 },
    ]),
  );
  const { url, lines } = run('--accounts', file);
  const base = await url();
  expect((await request(`${base}/south/api/v1/account`, 'GET', undefined, bearer('k2'))).status).toBe(200);
  const indexOf = (part: string) => lines.findIndex((line) => line.includes(part));
  expect(lines[indexOf('account north') + 1]).toContain('5 students, 5 orders');
  expect(lines[indexOf('account south') + 1]).toContain('6 students, 8 orders');
});

test.each([
  ['--port', '70000', "'70000' is invalid. Must be a whole number from 0 to 65535."],
  ['--port', '1.5', "'1.5' is invalid. Must be a whole number from 0 to 65535."],
  ['--plan', 'free', 'Allowed choices are standard, academy'],
  ['--rate-limit', '0', 'Must be a whole number of requests from 1, or "off".'],
  ['--rate-limit', 'many', 'Must be a whole number of requests from 1, or "off".'],
  ['--seed', '-1', 'Must be a whole number from 0'],
  ['--students', '1.5', 'Must be a whole number from 0 to 100000.'],
  ['--orders', '', 'Must be a whole number from 0 to 1000000.'],
  ['--orders', '1e9', 'Must be a whole number from 0 to 1000000.'],
  ['--now', 'yesterday', 'Must be an ISO 8601 date or time.'],
  ['--webhook', 'new_order', "'new_order' is invalid. Url: must be an http or https URL without a user name."],
  ['--webhook', 'new_cat=http://127.0.0.1/', 'Event: must be one of new_student, '],
  ['--webhook', 'new_order=ftp://127.0.0.1/', 'Url: must be an http or https URL without a user name.'],
  ['--latency', '-5', 'Must be a '],
  ['--fail', '1.1', 'Must be a number from 0 to 1.'],
  ['--sequence', 'other', 'Allowed choices are absolute, shift'],
  ['--activity', 'x', 'Must be a number from 0 to 6000.'],
  ['--protect-course', 'x', 'Must be the id of a course.'],
  ['--protect-course', '9999', 'Course 9999 not found.'],
  ['--data', '/nonexistent/folder/journal.jsonl', ''],
  ['--data', tmpdir(), ''],
  ['--api-key', 'with blank', 'Must be 1 to 200 visible ASCII characters'],
  ['--accounts', '/nonexistent/accounts.json', 'cannot read'],
])('an invalid value gives one line that names the flag and the rule: %s %s', async (flag, value, says) => {
  const failure = await run(`${flag}=${value}`).ended.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(Error);
  const { message } = failure as Error;
  expect(message).toContain(flag);
  expect(message).toContain(says);
  expect(message).not.toContain('\n');
});

test('keys on the command line cannot be combined with a file of accounts', async () => {
  await expect(run('--accounts', 'a.json', '--api-key', 'k').ended).rejects.toThrow('--api-key');
});
