import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { CommandContext } from '../../src/cli/context.ts';
import { cents, decimal } from '../../src/cli/demo/money.ts';
import { run } from '../../src/cli/program.ts';
import { program } from '../support/built.ts';
import { start } from '../support/program.ts';

/** `academy-mcp demo` in this process, with a terminal of its own; only the server is a child. */
async function demoHere(changes: Partial<CommandContext> = {}) {
  const stdout = new PassThrough();
  const written = { stdout: '', stderr: '' };
  stdout.on('data', (chunk: Buffer) => (written.stdout += chunk));
  const stderr = {
    write: (line: string) => {
      written.stderr += line;
    },
  };
  const signal = new AbortController().signal;
  const context = {
    environment: {},
    stdin: new PassThrough(),
    stdout,
    stderr,
    signal,
    runtime: process.execPath,
    program,
    colour: false,
  };
  const code = await run(['demo'], { ...context, ...changes });
  return { code, ...written };
}

/** The rows of the table of buyers, and what is said below it. */
function buyersIn(output: string) {
  const rows = [...output.matchAll(/^ {4}(\d{4}-\d\d-\d\d) +([\d.]+) ([A-Z]{3}) [ *] {2}(\S+@\S+) +(.+)$/gm)].map(
    ([, date = '', amount = '', currency = '', email = '']) => ({ date, amount, currency, email }),
  );
  const [, from = '', to = ''] = /Last week is (\S+) to (\S+),/.exec(output) ?? [];
  return { rows, from, to };
}

test('the demo runs through in plain text, checks its own answers and ends with 0', async () => {
  const { code, stdout, stderr } = await start(['demo'], { FORCE_COLOR: '1', COLUMNS: '20' }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // Standard output is no terminal here: no escapes, and nothing that depends on a width.
  expect(stdout).not.toContain('\u001b');
  expect(stdout.split('\n').filter((line) => line.length > 100 || line !== line.trimEnd())).toEqual([]);
  for (const said of [
    'with 45 tools',
    'All data are made up',
    'Who bought a course last week?',
    'Restructure a course',
    'Care for a student',
    'The course reads exactly as it did at first.',
    'counts as granted, not as bought',
    'confirmation_required',
    'Nothing was taken',
    'ACADEMY_BASE_URL',
  ])
    expect(stdout).toContain(said);
});

test('who bought is answered for both paid statuses, and the printed rows add up', async () => {
  const { stdout } = await start(['demo']).ended;
  expect(stdout).toMatch(/list_orders\(status: "paid", created_after: "\S+T00:00:00Z", created_before:/);
  expect(stdout).toContain('list_orders(status: "wallet_executed"');
  const { rows, from, to } = buyersIn(stdout);
  expect(rows.length).toBeGreaterThan(3);
  expect(stdout).toContain(
    `${rows.length} purchases by ${new Set(rows.map(({ email }) => email.toLowerCase())).size} buyers`,
  );
  expect(stdout).toMatch(new RegExp(`over all 3000 raw orders of the HTTP API\\s+finds the same ${rows.length}\\.`));
  expect(rows.filter(({ date }) => date < from || date > to)).toEqual([]);
  expect(rows.filter(({ amount }) => cents(amount) <= 0n)).toEqual([]);
  const [, total = ''] = /Total: (.+)/.exec(stdout) ?? [];
  for (const currency of new Set(rows.map((row) => row.currency))) {
    const sum = rows.filter((row) => row.currency === currency).reduce((all, { amount }) => all + cents(amount), 0n);
    expect(total.split(', ')).toContain(`${decimal(sum)} ${currency}`);
  }
});

test('on a terminal the calls are dim, and the words are the same', async () => {
  const { code, stdout } = await demoHere({ colour: true });
  expect(code).toBe(0);
  expect(stdout).toContain('\u001b[2m  → list_courses()\u001b[22m\n');
  expect(stripVTControlCharacters(stdout)).toContain('Nothing was taken');
});

test('a server that does not start is one line and exit code 1', async () => {
  const { code, stdout, stderr } = await demoHere({ program: `${program}.missing` });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^academy-mcp: the server did not start: Error: Cannot find module [^\n]+\n$/);
});

test('SIGTERM stops the demo with one line and exit code 1', async () => {
  const { ended, child, written } = start(['demo']);
  await expect.poll(() => written.stdout, { timeout: 10_000 }).toContain('→ list_courses');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 1, stderr: 'academy-mcp: the demo was stopped.\n' });
});

test('a reader that goes away stops the demo, without a crash on standard error', async () => {
  const { ended, child, written } = start(['demo']);
  await expect.poll(() => written.stdout, { timeout: 10_000 }).toContain('→ list_courses');
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ code: 1, stderr: 'academy-mcp: the demo was stopped.\n' });
});
