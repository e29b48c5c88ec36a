import type { ChildProcess } from 'node:child_process';
import { expect, test } from 'vitest';
import { dataTools, journalTools, tools } from '../../tools/index.ts';
import { runHere } from '../support/command-line.ts';
import { type Ended, program, start } from '../support/program.ts';

/** The built program, run once for all tests that read what it printed. */
let demo: Promise<Ended> | undefined;
const printedDemo = () => (demo ??= start(['demo'], { FORCE_COLOR: '1', COLUMNS: '20' }).ended);

/** The rows of the table of buyers, and the tool's own sentence above it. */
function buyersIn(output: string) {
  const [, answer = ''] = output.split('→ find_buyers(');
  const [, usual = ''] = / amount (?:usually|in) ([A-Z]{3}) \|/.exec(answer) ?? [];
  const rows = [...answer.matchAll(/^ {4}(\S+@\S+) \| .+? \| ([\d.]+) ?([A-Z]{3})? \| (\d{4}-\d\d-\d\d)/gm)].map(
    ([, email = '', amount = '', currency = usual, date = '']) => ({
      ...{ email, currency, date },
      cents: Number(amount.replace('.', '')),
    }),
  );
  const [, from = '', to = ''] = /from (\d{4}-\d\d-\d\d), before (\d{4}-\d\d-\d\d) \(UTC\)/.exec(answer) ?? [];
  return { rows, from, to, sentence: answer.slice(0, answer.indexOf('Cost:')) };
}

test('the demo completes in plain text and exits with 0', async () => {
  const { code, stdout, stderr } = await printedDemo();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).not.toContain('\u001b');
  for (const said of [
    `with ${tools.length + dataTools.length + journalTools.length} tools`,
    'All data are made up',
    'Who bought a course last week?',
    'Restructure a course',
    'Help a student',
    'confirmation_required',
    'price="\\"99.00\\" -> \\"12.00\\""',
    'title="\\"Where does the light come from?\\" -> \\"Welcome\\""',
    'Undo: 3 undone.',
    'for 30 students: 19 applied, 10 already there, 1 failed.',
    'SELECT email_key AS email',
    'Cost: 0 API requests',
    'ACADEMY_BASE_URL',
  ])
    expect(stdout).toContain(said);
});

test('two calls find the buyers, and the printed rows add up', async () => {
  const { stdout } = await printedDemo();
  expect(stdout).toContain('→ sales_report(period: "last_week", group_by: "product")');
  expect(stdout).toMatch(/→ find_buyers\(product: "[^"]+", period: "last_week"\)/);
  const { rows, from, to, sentence } = buyersIn(stdout);
  expect(rows.length).toBeGreaterThan(3);
  expect(new Set(rows.map(({ email }) => email.toLowerCase())).size).toBe(rows.length);
  expect(sentence).toContain(` ${rows.length} buyers of course`);
  expect(rows.filter(({ date }) => date < from || date >= to)).toEqual([]);
  expect(rows.filter(({ cents }) => cents <= 0)).toEqual([]);
  for (const currency of new Set(rows.map((row) => row.currency))) {
    const sum = rows.filter((row) => row.currency === currency).reduce((all, { cents }) => all + cents, 0);
    expect(sentence).toContain(` ${(sum / 100).toFixed(2)} ${currency}`);
  }
});

test('the access of a student is diagnosed before and after the enrollment', async () => {
  const { stdout } = await printedDemo();
  const [, before = '', enrolled = ''] = stdout.replace(/\s+/g, ' ').split('→ diagnose_access(');
  expect(before).toMatch(/ cannot use course 9 .*\bfix: .*enroll_student/);
  expect(enrolled).toMatch(/ holds course 9 .*granted/);
});

test('an outline is planned, applied as planned, and undone', async () => {
  const { stdout } = await printedDemo();
  const [before = '', rest = ''] = stdout.replace(/\s+/g, ' ').split('→ apply_course_outline(');
  const [applied = '', undone = ''] = rest.split('→ undo_change(');
  const [, planned, cost] = /: (\d+) lessons to write, (\d+) requests/.exec(before) ?? [];
  expect(before).toMatch(/ before 1\. .* after 1\. .* <- module /);
  expect(applied).toContain(`read back and verified: ${planned} lessons written, 0 failed, 0 remaining.`);
  expect(applied).toContain(`Cost: ${cost} API requests`);
  expect(undone).toContain('Undo: 1 undone.');
});

test('a server that does not start gives one line and exit code 1', async () => {
  const { code, stdout, stderr } = await runHere(['demo'], {}, { program: `${program}.missing` });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^academy-mcp: the server did not start: Error: Cannot find module [^\n]+\n$/);
});

test('SIGTERM stops the demo with one line and exit code 1, and so does a reader that closes its output', async () => {
  const stop = async (end: (child: ChildProcess) => unknown) => {
    const { ended, child, written } = start(['demo']);
    await expect.poll(() => written.stdout).toContain('→ sales_report');
    end(child);
    expect(await ended).toMatchObject({ code: 1, stderr: 'academy-mcp: the demo was stopped.\n' });
  };
  await Promise.all([stop((child) => child.kill('SIGTERM')), stop(({ stdout }) => stdout?.destroy())]);
});
