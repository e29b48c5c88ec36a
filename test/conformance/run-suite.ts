import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { program } from '../support/built.ts';
import { notTestable, reasonToLeaveOut, type Suite, suites } from './scenarios.ts';
import { scenariosOf } from './suite-result.ts';

/** The suite needs a newer Node than this project does. */
const node = 'node@22.23.3';

export interface Verdict {
  readonly suite: string;
  readonly scenario: string;
  /** How many checks have passed. */
  readonly checks: number;
  /** What failed, in the words of the suite. */
  readonly problems: readonly string[];
  /** Why it need not pass. */
  readonly leftOut: string | undefined;
}

/** The built program with its embedded academy. */
async function startServer() {
  const child = spawn(process.execPath, [program, 'http', '--sandbox', '--port', '0'], {
    env: { PATH: process.env.PATH, ACADEMY_HTTP_RATE_LIMIT: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = /http:\S+/.exec(String(line))?.[0] ?? '';
  return { url, end: () => child.kill('SIGTERM') };
}

const check = z.looseObject({ status: z.string(), errorMessage: z.string().optional() });

/** What the suite wrote of one scenario: a list of checks. */
async function readVerdict(suite: string, folder: string, run: string): Promise<Verdict> {
  const checks = z.array(check).parse(JSON.parse(await readFile(join(folder, run, 'checks.json'), 'utf8')));
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  const scenario = run.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, '');
  const problems = failed.flatMap(({ errorMessage = 'it failed' }) =>
    notTestable.test(errorMessage) ? [] : [errorMessage],
  );
  return { suite, scenario, checks: checks.length - failed.length, problems, leftOut: reasonToLeaveOut(scenario) };
}

/** A scenario that the suite began, but could not take to its end. */
function unfinished(suite: string, scenario: string): Verdict {
  const leftOut = reasonToLeaveOut(scenario);
  return { suite, scenario, checks: 0, problems: ['the suite came to no verdict'], leftOut };
}

async function runSuite({ title, package: name, flags }: Suite, url: string): Promise<Verdict[]> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-mcp-conformance-'));
  const args = ['-y', '-p', node, '-p', name, 'conformance', 'server', '--url', url, ...flags, '-o', folder];
  const child = spawn('npx', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const scenarios = scenariosOf({ code: child.exitCode, output });
  const verdicts = await Promise.all((await readdir(folder)).map((run) => readVerdict(title, folder, run)));
  await rm(folder, { recursive: true });
  const told = new Set(verdicts.map(({ scenario }) => scenario));
  return [...verdicts, ...scenarios.filter((name) => !told.has(name)).map((name) => unfinished(title, name))];
}

/** Runs the official suite of each version against the built program, over HTTP. */
export async function runConformance(): Promise<Verdict[]> {
  const server = await startServer();
  try {
    const verdicts: Verdict[] = [];
    for (const suite of suites) verdicts.push(...(await runSuite(suite, server.url)));
    return verdicts;
  } finally {
    server.end();
  }
}
