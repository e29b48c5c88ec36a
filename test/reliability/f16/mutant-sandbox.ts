import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const project = fileURLToPath(new URL('../../..', import.meta.url));
/** Includes `dist`, the output of `npm run build`: many tests start the built program. */
const copied = [
  'dist',
  'src',
  'tools',
  'scripts',
  'test',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'LICENSE',
];

/** The longest time for one run of tests, in milliseconds. */
const patience = 180_000;

const report = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ title: z.string(), status: z.string() })),
    }),
  ),
});

/** The result of a run of tests. */
export interface Outcome {
  /** The names of the tests that failed. */
  readonly failed: readonly string[];
  readonly passed: number;
  /** Why a test file did not load, or why the run did not end. */
  readonly broken: string | undefined;
}

/** A copy of the project whose sources can be changed. */
export interface MutantSandbox {
  /** Replaces `text`, and returns a function that puts it back. Throws unless the file has `text` exactly once. */
  change(file: string, text: string, instead: string): Promise<() => Promise<void>>;
  build(): Promise<boolean>;
  /** Runs test files, or only the tests whose names match `only`; with `bail`, stops at the first failure. */
  test(files: readonly string[], options: { only?: string | undefined; bail: boolean }): Promise<Outcome>;
  close(): Promise<void>;
}

function outcomeOf(json: unknown): Outcome {
  const { numPassedTests: passed, testResults } = report.parse(json);
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = all.filter(({ status }) => status === 'failed').map(({ title }) => title);
  const unloaded = testResults.find(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return { failed, passed, broken: unloaded && `${unloaded.name}: ${unloaded.message.split('\n', 1)[0]}` };
}

/** Runs a command to its end. Returns false if it fails or does not end in time. */
async function run(folder: string, command: string, args: readonly string[]): Promise<boolean> {
  const { PATH = '', HOME = '' } = process.env;
  // A process group of its own: the programs that the tests start must end with it.
  const child = spawn(command, args, { cwd: folder, env: { PATH, HOME }, stdio: 'ignore', detached: true });
  const closed = once(child, 'close');
  const timer = new AbortController();
  const late = sleep(patience, 'late', { signal: timer.signal }).catch(() => undefined);
  const isLate = (await Promise.race([closed, late])) === 'late';
  timer.abort();
  if (isLate && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await closed;
  return child.exitCode === 0;
}

export async function openMutantSandbox(): Promise<MutantSandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-guards-'));
  for (const name of copied) await cp(join(project, name), join(folder, name), { recursive: true });
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));

  return {
    change: async (file, text, instead) => {
      const path = join(folder, file);
      const original = await readFile(path, 'utf8');
      const times = original.split(text).length - 1;
      if (times !== 1) throw new Error(`${file} has this text ${times} times: ${text}`);
      await writeFile(
        path,
        original.replace(text, () => instead),
      );
      return () => writeFile(path, original);
    },
    build: () => run(folder, 'npm', ['run', '--silent', 'build']),
    test: async (files, { only, bail }) => {
      const output = join(folder, 'result.json');
      await rm(output, { force: true });
      const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
      const flags = [
        '--maxWorkers=1',
        `--experimental.fsModuleCachePath=${join(folder, 'cache')}`,
        '--reporter=json',
        `--outputFile=${output}`,
      ];
      const chosen = [...(only === undefined ? [] : ['-t', only]), ...(bail ? ['--bail=1'] : [])];
      await run(folder, process.execPath, [vitest, 'run', ...files, ...flags, ...chosen]);
      const text = await readFile(output, 'utf8').catch(() => undefined);
      if (text === undefined) return { failed: [], passed: 0, broken: 'the tests did not end' };
      return outcomeOf(JSON.parse(text));
    },
    close: () => rm(folder, { recursive: true }),
  };
}
