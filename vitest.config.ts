import { defineConfig } from 'vitest/config';

/** Tests of values in, values out: no server is started. */
const unit = [
  'test/api/http/{encode,coerce}.test.ts',
  'test/api/retry-decision.test.ts',
  'test/bench/**/*.test.ts',
  'test/cli/init.test.ts',
  'test/config/**/*.test.ts',
  'test/conformance/**/*.test.ts',
  'test/contract/**/*.test.ts',
  'test/imports.test.ts',
  'test/insights/**/*.test.ts',
  'test/mcp/output/truncate.test.ts',
  'test/protocol/*.test.ts',
  'test/sandbox/data/**/*.test.ts',
  'test/shared/**/*.test.ts',
  'test/tools/instructions.test.ts',
];
/** Tests that start the built program for most of what they ask. */
const e2e = ['test/e2e/**/*.test.ts'];
/** Tests that start a redis-server, which not every machine has: `npm test` leaves them out. */
export const redis = ['test/redis/**/*.test.ts'];

function project(name: string, include: string[], exclude: string[] = []) {
  return { extends: true as const, test: { name, include, exclude: ['**/node_modules/**', ...exclude] } };
}

/** What all projects share, and the whole run in `test/whole.config.ts`. */
export const shared = {
  // A worker imports the program once, not once a file: no test changes what is global and leaves it so.
  isolate: false,
  pool: 'forks' as const,
  // For what hangs, and never for what is slow: the whole demo runs in one test, beside others on a busy machine.
  testTimeout: 900_000,
  hookTimeout: 180_000,
  globalSetup: new URL('./test/support/worker-file.ts', import.meta.url).pathname,
  // What is polled for comes soon; on a busy machine, a program may take seconds to start.
  expect: { poll: { timeout: 60_000 } },
  // The projects transform the same files: each is transformed once, also for the next run.
  experimental: { fsModuleCache: true },
};

/** Threads run bundled code, made once for a run. */
export const resolve = {
  alias: [
    {
      find: /^\.\/worker-file\.ts$/,
      replacement: new URL('./test/support/worker-file.ts', import.meta.url).pathname,
    },
  ],
};

export default defineConfig({
  resolve,
  test: {
    projects: [
      project('unit', unit),
      // Whatever is in no other project, so that no new file is left out.
      project('integration', ['test/**/*.test.ts'], [...unit, ...e2e, ...redis]),
      project('e2e', e2e),
      project('redis', redis),
    ],
    ...shared,
    coverage: { include: ['src/**', 'tools/**'], reporter: ['text', 'json-summary'] },
  },
});
