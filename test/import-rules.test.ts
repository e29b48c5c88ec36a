import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');

/** The files that Biome refuses for an import, of files that each have one import and nothing else. */
async function refused(imports: readonly (readonly [file: string, from: string])[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'import-rules-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(root, 'biome.json'), join(folder, 'biome.json'));
  for (const [file, from] of imports) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `import '${from}';\n`);
  }
  const flags = ['lint', '--only=style/noRestrictedImports', '--reporter=json', '--max-diagnostics=none'];
  const run = promisify(execFile)(process.execPath, [biome, ...flags], { cwd: folder });
  // Biome exits with 1 if it refuses a file.
  const { stdout } = await run.catch((failed: { stdout: string }) => failed);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { path: string } }[] };
  return diagnostics.map(({ location }) => location.path).sort();
}

async function foldersOf(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`);
}

test('no folder of the program may import scripts or tests', async () => {
  const folders = ['src', 'src/protocol/legacy', 'src/protocol/modern', 'src/cli/demo', 'tools'];
  for (const parent of ['src', 'tools']) folders.push(...(await foldersOf(parent)));
  const cases = folders.flatMap((folder) => {
    const up = '../'.repeat(folder.split('/').length);
    return [
      [`${folder}/scripts.ts`, `${up}scripts/build.ts`] as const,
      [`${folder}/test.ts`, `${up}test/snap.ts`] as const,
    ];
  });
  expect(await refused(cases)).toEqual(cases.map(([file]) => file).sort());
});

test('scripts import no tests, the app no command, the framework no app, and only the demo among the commands an SDK', async () => {
  const sdk = '@modelcontextprotocol/sdk/client/index.js';
  const cases = [
    ['scripts/docs/a.ts', '../../test/snap.ts'],
    ['src/app.ts', './cli/program.ts'],
    ['src/cli/a.ts', sdk],
    ['src/cli/doctor/a.ts', sdk],
    ['src/main.ts', './app.ts'],
    ['src/mcp/a.ts', '../front.ts'],
    ['src/protocol/a.ts', '../lazy-app.ts'],
    ['src/version.ts', './main.ts'],
  ] as const;
  const allowed = [
    ['scripts/docs/b.ts', '../../src/app.ts'],
    ['src/cli/b.ts', '../app.ts'],
    ['src/cli/demo/b.ts', sdk],
  ] as const;
  expect(await refused([...cases, ...allowed])).toEqual(cases.map(([file]) => file));
});

test('main.ts may import the command line', async () => {
  expect(await refused([['src/main.ts', './cli/program.ts']])).toEqual([]);
});
