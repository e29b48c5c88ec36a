import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { writeNpmPackage } from '../../scripts/package/npm-package.ts';
import { journalTools, tools } from '../../tools/index.ts';
import { isLong } from '../support/long-form.ts';
import { emptyFolder, finish, startServer } from '../support/package-client.ts';
import { program } from '../support/program.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const dist = dirname(program);
const { name, version } = packageJson;

/** What `npm run package` makes and `npm pack` packs. */
async function packed(): Promise<string> {
  const folder = join(await emptyFolder(), 'npm');
  await writeNpmPackage(dist, folder);
  const { stdout } = await finish('npm', ['pack', '--silent'], { cwd: folder });
  return join(folder, stdout.trim());
}

/** The folder `package` of a tarball, unpacked elsewhere. */
async function unpacked(tarball: string): Promise<string> {
  const cwd = await emptyFolder();
  const { code } = await finish('tar', ['-xzf', tarball], { cwd });
  expect(code).toBe(0);
  return join(cwd, 'package');
}

test('the packed package starts without any other package and serves the sandbox', async () => {
  const folder = await unpacked(await packed());
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  expect(Object.keys(manifest)).not.toContain('dependencies');
  expect(manifest).toMatchObject({ name, version, engines: packageJson.engines, repository: packageJson.repository });
  expect(Object.keys(manifest.bin)).toEqual([name]);
  const { client, call } = await startServer(process.execPath, [join(folder, manifest.bin[name]), '--sandbox']);
  expect(client.getServerVersion()?.version).toBe(version);
  expect((await client.listTools()).tools).toHaveLength(tools.length + journalTools.length);
  expect((await call('get_account')).isError).toBe(false);
});

test('the package holds documents and the program, and no source maps', async () => {
  const folder = await unpacked(await packed());
  const files = await readdir(folder, { recursive: true });
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', join('dist', 'main.js')]));
  expect(files.filter((file) => file.endsWith('.map') || file.includes('node_modules'))).toEqual([]);
});

test('npm pack in the checkout is refused and names what to do, so that no package is without the program', async () => {
  const { code, stderr } = await finish('npm', ['pack', '--dry-run'], { cwd: project });
  expect(code).toBe(1);
  expect(stderr).toContain('Run: npm run package, then: npm pack ./build/npm');
});

test('an old Node gets one line, whatever it is asked', async () => {
  const fake = join(await emptyFolder(), 'old-node.cjs');
  const versions = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });";
  await writeFile(fake, versions);
  for (const args of [[], ['--version'], ['doctor']]) {
    const { code, stdout, stderr } = await finish(process.execPath, ['-r', fake, join(dist, 'start.cjs'), ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('academy-mcp needs Node 20.18 or later; this is 18.20.4\n');
  }
});

const platform = process.platform === 'win32' ? 'win' : process.platform;

/** The folder of another Node, from the package registry, as PATH has it. */
async function otherNode(major: number): Promise<string> {
  const cwd = await emptyFolder();
  const node = `node-${platform}-${process.arch}`;
  await writeFile(join(cwd, 'package.json'), '{}');
  const { code, stderr } = await finish('npm', ['install', '--silent', `${node}@${major}`], { cwd });
  expect(code, stderr).toBe(0);
  return join(cwd, 'node_modules', node, 'bin');
}

test.runIf(isLong)(
  'npx starts the package on every supported Node, without scripts, as one package',
  { timeout: 300_000 },
  async () => {
    const tarball = await packed();
    for (const major of [20, 22, 24, 26]) {
      const bin = await otherNode(major);
      const environment = { PATH: `${bin}:${process.env.PATH}`, npm_config_cache: await emptyFolder() };
      // npx takes a bare absolute path for a command.
      const options = ['-y', '--ignore-scripts', `file:${tarball}`];
      const { client } = await startServer('npx', [...options, '--sandbox'], environment);
      expect((await client.listTools()).tools, `Node ${major}`).toHaveLength(tools.length + journalTools.length);
      const cache = await readdir(join(environment.npm_config_cache, '_npx'), { recursive: true });
      const packages = cache.filter((path) => /node_modules[/\\](@[^/\\]+[/\\])?[^@./\\][^/\\]*$/.test(path));
      expect(packages.map((path) => path.split(/[/\\]/).at(-1))).toEqual([name]);
    }
  },
);

test.runIf(isLong)('a real old Node can read the launcher', { timeout: 120_000 }, async () => {
  for (const major of [12, 18]) {
    const node = join(await otherNode(major), 'node');
    const { code, stderr } = await finish(node, [join(dist, 'start.cjs'), '--version']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`^academy-mcp needs Node 20\\.18 or later; this is ${major}\\.[\\d.]+\\n$`),
      ),
    });
  }
});
