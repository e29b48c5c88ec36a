import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { atEnd } from '../../support/at-end.ts';
import { temporaryFile } from '../../support/sandbox.ts';
import type { Figure } from '../figure.ts';

// Each attack is a test of its own, through the public interface: this figure runs the tests, and counts them by promise.

const data = 'tools/data.test.ts';
const exportFiles = 'tools/export-data.long.test.ts';
const exportLinks = 'tools/export-links.long.test.ts';

/** The tests of a file, below test/, whose names match; default: all of them. */
type Tests = readonly [file: string, names?: RegExp];

/** The promises, and the tests that attack each of them. */
const promises: Readonly<Record<string, readonly Tests[]>> = {
  'very long texts': [['security/long-texts.long.test.ts']],
  'half-open connections': [['security/connections.long.test.ts', /keep.* nobody else out|half open|does not read/]],
  memory: [['security/caller-limits.test.ts', /_meta|8 MiB|too many values/], ['api/http/answer-limits.long.test.ts']],
  'endless pages': [
    [
      'tools/insights/endless-pages.long.test.ts',
      /ends when|ends at its limit|2,000 pages|may affect more|without end/,
    ],
  ],
  'long refusals': [['security/refusals.test.ts']],
  'arguments hidden from a confirmation': [['mcp/confirmation/consent-arguments.test.ts']],
  'titles and names with invisible characters': [['tools/invisible-characters.test.ts', /refuse|may not contain/]],
  'the extent of a revocation': [['tools/revocation-facts.test.ts', /revoke_bundle|orders? .*before|beyond/]],
  'ids without names': [['tools/changed-fields.test.ts', /title/]],
  lockdown: [['mcp/confirmation/lockdown.test.ts', /switches lockdown on|needs consent/]],
  'writes that look identical': [['api/writes/write.test.ts', /are two writes|of another text|is another title/]],
  'the audit log': [['api/writes/audit-log.test.ts', /share a file|refused(?!.*recorded)|overwritten|holds a name/]],
  'callers with the same name': [['security/oauth.test.ts', /^S(17|21): /]],
  'forged fields in text': [['tools/text-form.long.test.ts']],
  cursors: [['tools/insights/cursors.test.ts', /cursor.*(refused|ignored|signed)|signed/]],
  origins: [['security/access-control.test.ts', /^S1: /]],
  licences: [['scripts/licences.long.test.ts']],
  'cells that a spreadsheet runs': [[exportFiles, /formula|spreadsheet/]],
  'text of members without a mark': [
    [data, /members|without white space/],
    [exportFiles, /members/],
  ],
  'ways around toolsets and lockdown': [
    [exportFiles, /toolset that is off/],
    ['security/confirmation.test.ts', /^S13: /],
    [exportLinks, /under lockdown|without academy:data/],
  ],
  'prices that change by much': [['tools/products.test.ts', /price/]],
  'names of existing students': [['tools/access.test.ts', /name of an existing student/]],
  'exports of other callers': [[exportLinks, /caller|for an hour|nor reads/]],
  'errors of statements that repeat text': [[data, /^the error of/]],
  'consents on other replicas': [['redis/any-replica.test.ts', /code|locks the other down/]],
};

const fewest = 4;
const folder = fileURLToPath(new URL('../../', import.meta.url));
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ title: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

type TestFile = z.output<typeof reportSchema>['testResults'][number];

/** Runs all tests of the files, in their longer form. */
async function runTests(files: readonly string[]): Promise<readonly TestFile[]> {
  const report = await temporaryFile('report.json');
  const flags = ['--maxWorkers=3', '--reporter=json', `--outputFile=${report}`];
  const child = spawn(process.execPath, [vitest, 'run', ...files.map((file) => folder + file), ...flags], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { ...process.env, LONG_TESTS: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  atEnd(() => child.kill());
  await once(child, 'exit');
  return reportSchema.parse(JSON.parse(await readFile(report, 'utf8'))).testResults;
}

/** What the tests of a promise say, and what is wrong with them. */
function judge(words: string, tests: readonly Tests[], ran: readonly TestFile[]) {
  const failures: string[] = [];
  let [tried, blocked] = [0, 0];
  for (const [file, names = /./] of tests) {
    const { assertionResults = [], message = 'was not run' } = ran.find(({ name }) => name === folder + file) ?? {};
    const attacks = assertionResults.filter(({ title, status }) => names.test(title) && status !== 'skipped');
    if (attacks.length === 0) failures.push(`no test of ${file} matches: ${message}`);
    const missed = attacks.filter(({ status }) => status !== 'passed');
    tried += attacks.length;
    blocked += attacks.length - missed.length;
    failures.push(...missed.map(({ title, failureMessages }) => `${title}: ${failureMessages?.[0]?.slice(0, 400)}`));
  }
  if (tried < fewest) failures.push(`only ${tried} attacks`);
  return { words, tried, blocked, failures: failures.map((failure) => `${words}, ${failure}`) };
}

/** Nothing in it is random. */
export const figure: Figure = {
  id: 'F19',
  title: 'Attacks blocked',
  target: 'each attack is blocked; at least 4 attacks on each promise',
  run: async () => {
    const files = [...new Set(Object.values(promises).flatMap((tests) => tests.map(([file]) => file)))];
    const ran = await runTests(files);
    const judged = Object.entries(promises).map(([words, tests]) => judge(words, tests, ran));
    const failures = judged.flatMap((one) => one.failures);
    const sum = (of: 'tried' | 'blocked') => judged.reduce((total, one) => total + one[of], 0);
    return {
      tried: `${sum('tried')} tests that attack ${judged.length} promises, through the public interface: real clients, real HTTP, the built program`,
      result: `${sum('blocked')} of ${sum('tried')} blocked`,
      details: [
        'each attack is a test in test/, with its row of a table where it has one: the figure runs the test files of each promise, and counts the tests that attack it',
        ...judged.map((one) => `${one.words}: ${one.tried} tried, ${one.blocked} blocked`),
      ],
      failures,
      zeros: [{ what: 'attacks that were not blocked', of: sum('tried') }],
    };
  },
};
