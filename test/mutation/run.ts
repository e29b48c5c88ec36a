// npm run mutation: changes the code of each area, one place at a time, and lists the changes that no test notices. With the
// names of areas, runs only those. There is no threshold: a person reads the list.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { areas } from './areas.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const stryker = 'test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';

function configOf(area: string, mutate: string) {
  return {
    mutate: [mutate],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    // The runner of this version selects no single tests with Vitest 4, so all tests of the area run until the first fails.
    coverageAnalysis: 'off',
    concurrency: 2,
    timeoutMS: 20_000,
    reporters: ['clear-text', 'html'],
    clearTextReporter: { reportTests: false },
    htmlReporter: { fileName: `build/mutation/${area}.html` },
    tempDirName: 'build/mutation/copy',
    ignorePatterns: ['build', 'coverage', 'docs/images', 'test/ui/node_modules', 'test/mutation/node_modules'],
    thresholds: { high: 100, low: 0, break: null },
  };
}

function run(area: string, mutate: string): boolean {
  const file = `build/mutation/${area}.json`;
  mkdirSync(`${root}build/mutation`, { recursive: true });
  writeFileSync(`${root}${file}`, JSON.stringify(configOf(area, mutate)));
  const env = { ...process.env, MUTATION_AREA: area };
  return spawnSync(process.execPath, [stryker, 'run', file], { cwd: root, env, stdio: 'inherit' }).status === 0;
}

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => areas[name] === undefined);
if (unknown !== undefined) throw new Error(`no area ${unknown}; the areas are ${Object.keys(areas).join(', ')}`);
const failed = Object.entries(areas)
  .filter(([name]) => wanted.length === 0 || wanted.includes(name))
  .filter(([name, { mutate }]) => !run(name, mutate));
process.exitCode = failed.length === 0 ? 0 : 1;
