import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { inScope } from '../support/at-end.ts';
import { startHttpProgram } from '../support/program.ts';

/** The result of one run of the suite as a process. */
interface SuiteProcess {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly output: string;
}

/** 1 means that a scenario failed; its checks tell which one and whether it matters. */
const expectedCodes: readonly (number | null)[] = [0, 1];

/**
 * The scenarios that the suite started, according to its output. Throws if it did not finish all announced scenarios: a
 * scenario that did not run has no failures either.
 */
export function scenariosOf({ code, output }: SuiteProcess): string[] {
  const announced = /^Running .* \((\d+) scenarios\)/m.exec(output)?.[1];
  const begun = [...output.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map(([, name = '']) => name);
  const isWhole = begun.length > 0 && begun.length === Number(announced) && /^=== SUMMARY ===$/m.test(output);
  if (isWhole && expectedCodes.includes(code)) return begun;
  throw new Error(`the suite ended with code ${code} after ${begun.length} of ${announced ?? 'unknown'} scenarios`);
}

/** The package of the suite, and the protocol version of its scenarios. */
interface Suite {
  readonly title: string;
  readonly package: string;
  readonly flags: readonly string[];
}

const suites: readonly Suite[] = [
  { title: 'protocol 2025-11-25', package: '@modelcontextprotocol/conformance@0.1.16', flags: [] },
  {
    title: 'protocol 2026-07-28',
    package: '@modelcontextprotocol/conformance@0.2.0-alpha.12',
    flags: ['--requirements', '2026-07-28'],
  },
];

const fixture = (name: string) => `asks for a server that has ${name}`;
const capability = (name: string) => `asks about ${name}, which this server does not offer`;

/** Scenarios that do not apply to this server, each with the reason. Every other scenario must pass. */
const notApplicable: readonly (readonly [scenario: RegExp, reason: string])[] = [
  [/^tools-call-/, fixture('tools of its own (test_simple_text and others)')],
  [/^elicitation-sep/, fixture('a tool test_elicitation_…')],
  [/^input-required-result-(?!missing|unsupported|ignore|validate)/, fixture('tools that ask for input')],
  [/^completion-complete$/, fixture('a prompt test_prompt_with_arguments')],
  [/^resources-(read|templates)/, fixture('resources test://static-text and others')],
  [/^prompts-get-/, fixture('prompts test_simple_prompt and others')],
  [/^resources-(subscribe|unsubscribe)$/, capability('subscriptions to resources')],
  [/^tasks-/, capability('the extension for tasks')],
  [/^json-schema-2020-12$/, fixture('a tool json_schema_2020_12_tool')],
];

/** Failure messages of checks that a server without the fixtures of the suite cannot pass. */
const notTestable = /^Not testable: /;

function reasonToLeaveOut(scenario: string): string | undefined {
  return notApplicable.find(([pattern]) => pattern.test(scenario))?.[1];
}

/** The suite needs a newer Node than this project. */
const node = 'node@22.23.3';

const check = z.looseObject({ status: z.string(), errorMessage: z.string().optional() });

type ScenarioResult = Awaited<ReturnType<typeof readResult>>;

/** Reads the checks that the suite wrote for one scenario: the number of passed ones, the words of the failed ones, and why it may fail. */
async function readResult(suite: string, folder: string, run: string) {
  const checks = z.array(check).parse(JSON.parse(await readFile(join(folder, run, 'checks.json'), 'utf8')));
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  const scenario = run.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, '');
  const problems = failed.flatMap(({ errorMessage = 'it failed' }) =>
    notTestable.test(errorMessage) ? [] : [errorMessage],
  );
  return { suite, scenario, checks: checks.length - failed.length, problems, leftOut: reasonToLeaveOut(scenario) };
}

/** A scenario that the suite started but did not finish. */
function unfinished(suite: string, scenario: string): ScenarioResult {
  const leftOut = reasonToLeaveOut(scenario);
  return { suite, scenario, checks: 0, problems: ['the suite wrote no result'], leftOut };
}

async function runSuite({ title, package: name, flags }: Suite, url: string): Promise<ScenarioResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-mcp-conformance-'));
  const args = ['-y', '-p', node, '-p', name, 'conformance', 'server', '--url', url, ...flags, '-o', folder];
  const child = spawn('npx', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const scenarios = scenariosOf({ code: child.exitCode, output });
  const results = await Promise.all((await readdir(folder)).map((run) => readResult(title, folder, run)));
  await rm(folder, { recursive: true });
  const told = new Set(results.map(({ scenario }) => scenario));
  return [...results, ...scenarios.filter((name) => !told.has(name)).map((name) => unfinished(title, name))];
}

/** Runs the official suite of each version against the built program over HTTP, with its embedded academy. */
export async function runConformance(): Promise<ScenarioResult[]> {
  return await inScope(async () => {
    const server = await startHttpProgram({ environment: {}, flags: ['--sandbox'] });
    const results: ScenarioResult[] = [];
    for (const suite of suites) results.push(...(await runSuite(suite, server.url)));
    return results;
  });
}
