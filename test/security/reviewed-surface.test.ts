import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeTool } from '../../src/mcp/describe-tool.ts';
import { tools } from '../../tools/index.ts';
import { currentSnapshots, storedSnapshots } from '../support/snapshots.ts';
import { readSource as read } from '../support/source.ts';

test('S16: the tool definitions that an agent sees match the reviewed snapshots', async () => {
  expect(currentSnapshots()).toEqual(await storedSnapshots());
});

test('S16: every tool has all four hints, and no description has instructions, links or hidden characters', () => {
  for (const tool of tools.map(describeTool)) {
    expect(
      Object.values(tool.annotations).map((hint) => typeof hint),
      tool.name,
    ).toEqual(Array(4).fill('boolean'));
    const text = JSON.stringify(tool);
    expect(text, tool.name).not.toMatch(/https?:\/\/(?!academy\.example|example\.)/);
    expect(text, tool.name).not.toMatch(/\bignore\b|you must always|system prompt/i);
    expect(text, tool.name).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  scripts: Record<string, string>;
}

interface Lock {
  packages: Record<
    string,
    { version?: string; resolved?: string; integrity?: string; link?: boolean; optional?: boolean }
  >;
}

test('S22: every package is pinned to one version and is in the lock file', async () => {
  const { dependencies, devDependencies } = JSON.parse(await read('package.json')) as Manifest;
  const { packages } = JSON.parse(await read('package-lock.json')) as Lock;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    expect(packages[`node_modules/${name}`]?.version, name).toBe(version);
  }
  // Packages without a hash are for other systems and are never installed here.
  const unhashed = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && integrity === undefined);
  expect(unhashed.filter(([, { optional }]) => optional !== true)).toEqual([]);
});

test('S22: the installed packages match the lock file', async () => {
  expect(await read('.ci/run')).toMatch(/^npm ci && npm test$/m);
  const { scripts } = JSON.parse(await read('package.json')) as Manifest;
  for (const hook of ['preinstall', 'install', 'postinstall', 'prepare']) expect(scripts[hook]).toBeUndefined();
});

/** Redis evaluates the scripts of this project, not Node. */
const redisScript = /client\.eval\((join|token)Script, /g;

/** Commands that a person types: `demo --open` opens their browser, and `init` runs Claude Code. No server comes here. */
const starters = ['cli/demo.ts', 'cli/init/clients.ts'];

test('S22: the program starts no other program but the browser and Claude Code, and evaluates no text as code', async () => {
  const files = (await readdir(new URL('../../src', import.meta.url), { recursive: true })).filter((file) =>
    file.endsWith('.ts'),
  );
  expect(files.length).toBeGreaterThan(100);
  for (const file of files) {
    const text = await read(`src/${file}`);
    expect(text.replaceAll(redisScript, ''), file).not.toMatch(/node:vm|\beval\(|new Function\(/);
    if (!starters.includes(file)) expect(text, file).not.toMatch(/node:child_process/);
    if (file !== 'cli/subcommands.ts') expect(text, file).not.toMatch(/\/(demo|init)\.ts'/);
    if (!file.startsWith('cli/init')) expect(text, file).not.toMatch(/init\/clients\.ts'/);
  }
  for (const file of starters)
    expect(await read(`src/${file}`)).toMatch(/{ spawn(Sync)? } from 'node:child_process'(?![\s\S]*shell:)/);
});
