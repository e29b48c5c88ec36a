import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { licensedIn } from '../../scripts/build.ts';
import { writeNpmPackage } from '../../scripts/package/npm-package.ts';
import { emptyFolder, finish } from '../support/package-client.ts';
import { program } from '../support/program.ts';
import { temporaryFolder } from '../support/sandbox.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const dist = dirname(program);
const shipped = 'dist/THIRD-PARTY-LICENSES.txt';

const sourceMap = z.looseObject({ sources: z.array(z.string()) });
const manifest = z.looseObject({ name: z.string(), version: z.string() });
const packed = z.array(z.looseObject({ files: z.array(z.looseObject({ path: z.string() })) }));

/** Every source in the bundle, as its source maps tell: those of what a package holds of others, too. */
async function bundledSources(): Promise<string[]> {
  const maps = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.map'));
  const sources = await Promise.all(
    maps.map(async (name) => {
      const map = sourceMap.parse(JSON.parse(await readFile(join(dist, name), 'utf8')));
      return map.sources.map((source) => join(dist, dirname(name), source));
    }),
  );
  return sources.flat();
}

const lastPackage = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)(?=\/)/;

test('the file of licences has every package in the bundle, with its version and the text that it ships', async () => {
  const text = await readFile(join(project, shipped), 'utf8');
  const sources = (await bundledSources()).filter((path) => !path.includes('/.pnpm/'));
  const folders = [...new Set(sources.flatMap((path) => lastPackage.exec(path)?.[0] ?? []))];
  // The SDK is built from a part that is no package of its own.
  const own = folders.filter((folder) => !folder.endsWith('@modelcontextprotocol/core-internal'));
  expect(own.length).toBeGreaterThan(30);
  for (const folder of own) {
    const { name, version } = manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
    expect(text).toContain(`\n${name} ${version} (`);
    const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    for (const file of files) {
      expect(text, name).toContain((await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim());
    }
  }
});

test('the file of licences has every package that another package contains', async () => {
  const text = await readFile(join(project, shipped), 'utf8');
  const inside = (await bundledSources()).flatMap((path) => {
    const [, name = '', version = ''] = /\/\.pnpm\/([^/]+?)@([^/_(]+)[^/]*\/node_modules\//.exec(path) ?? [];
    return name === '' ? [] : [`${name.replace('+', '/')} ${version}`];
  });
  expect(inside).toContain('content-type 1.0.5');
  for (const one of new Set(inside)) expect(text).toContain(`\n${one} (`);
});

test('every package in the file of licences has a free licence', async () => {
  const text = await readFile(join(project, shipped), 'utf8');
  const licences = [...text.matchAll(/^\S+ \d+\.\d+\.\d+\S* \((.+)\)$/gm)].map(([, licence]) => licence);
  expect(licences.length).toBeGreaterThan(30);
  for (const licence of licences) expect(licence).toMatch(/MIT|ISC|BSD|Apache|BlueOak|CC0|Unlicense|Python/);
});

test('the file of licences is in the package that is published', async () => {
  const folder = await emptyFolder();
  await writeNpmPackage(dist, folder);
  const { stdout } = await finish('npm', ['pack', '--dry-run', '--json'], { cwd: folder });
  const paths = packed.parse(JSON.parse(stdout)).flatMap(({ files }) => files.map(({ path }) => path));
  expect(paths).toContain(shipped);
});

/** A package of these files in a folder of its own. */
async function packageOf(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  return folder;
}

const named = (license?: string) => JSON.stringify({ name: 'one', version: '1.2.3', license, author: 'Ana' });

test('a package gives its licence and its notices, and no code or folder of such a name', async () => {
  const folder = await packageOf({
    'package.json': named('Apache-2.0'),
    LICENSE: 'Terms\r\n',
    'NOTICE.md': 'Thanks',
    'license.js': 'no()',
  });
  await mkdir(join(folder, 'licenses'));
  expect(await licensedIn(folder)).toEqual({
    name: 'one',
    version: '1.2.3',
    licence: 'Apache-2.0',
    texts: ['Terms', 'Thanks'],
  });
});

test('the MIT text with the name of the author replaces a missing licence file', async () => {
  const { texts } = await licensedIn(await packageOf({ 'package.json': named('MIT') }));
  expect(texts).toEqual([expect.stringMatching(/^Copyright \(c\) Ana\n\nPermission is hereby granted/)]);
});

test('a package whose licence or text of it is not known fails the build', async () => {
  const other = licensedIn(await packageOf({ 'package.json': named('Elastic-2.0') }));
  await expect(other).rejects.toThrow('one 1.2.3 ships no licence file (Elastic-2.0)');
  const none = licensedIn(await packageOf({ 'package.json': named(), LICENSE: 'Terms' }));
  await expect(none).rejects.toThrow('one 1.2.3 names no licence');
});
