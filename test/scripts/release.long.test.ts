import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/sandbox.ts';
import { registryEntry } from './registry-schema.ts';

const run = promisify(execFile);
const made = new URL('../../build/release/', import.meta.url);
const read = (file: string) => readFile(new URL(file, made), 'utf8');
const release = (...flags: string[]) => run('npx', ['tsx', 'scripts/release.ts', ...flags]);

test('a release is made for an owner without a change of the checkout', { timeout: 300_000 }, async () => {
  const before = (await run('git', ['status', '--short'])).stdout;
  const { stdout } = await release('--repository', 'Acme-School/academy-tools', '--dry-run');
  expect((await run('git', ['status', '--short'])).stdout).toBe(before);
  expect(stdout).toMatch(/Nothing in this checkout was changed[\s\S]*A person must still/);
  const entry: unknown = JSON.parse(await read('server.json'));
  expect(registryEntry.safeParse(entry).error).toBeUndefined();
  expect(registryEntry.parse(entry)).toMatchObject({
    name: 'io.github.Acme-School/academy-mcp',
    repository: { url: 'https://github.com/Acme-School/academy-tools' },
  });
  expect((await read('NOTES.md')).length).toBeGreaterThan(100);
  for (const line of (await read('SHA256SUMS')).trim().split('\n')) {
    const [sum, file = ''] = line.split('  ');
    expect(
      createHash('sha256')
        .update(await readFile(new URL(file, made)))
        .digest('hex'),
      file,
    ).toBe(sum);
  }
  const folder = await temporaryFolder();
  await run('tar', ['-xzf', new URL('academy-mcp-0.1.0.tgz', made).pathname, '-C', folder]);
  const packed = (file: string) => readFile(join(folder, 'package', file), 'utf8');
  for (const file of ['package.json', '.claude-plugin/plugin.json']) {
    expect(await packed(file), file).not.toContain('your-organization');
    expect(await packed(file), file).toContain('Acme-School');
  }
  // npm shows the README alone: what it links is in the tarball.
  const links = [...(await packed('README.md')).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(10);
  const own = links.filter((link) => !link.startsWith('..') && !link.includes(':'));
  for (const link of own) await expect(access(join(folder, 'package', link)), link).resolves.toBeUndefined();
});

test('a release needs a repository', async () => {
  await expect(release('--dry-run')).rejects.toThrow(/give --repository OWNER\/NAME/);
  await expect(release('--repository', 'acme', '--dry-run')).rejects.toThrow(/give --repository OWNER\/NAME/);
});
