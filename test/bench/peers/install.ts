import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { program } from '../programs.ts';

const run = promisify(execFile);

/** The generic servers that are measured. npm chooses their dependencies within the ranges that they state. */
export const versions = { '@ivotoby/openapi-mcp-server': '1.16.1', 'mcp-openapi': '0.3.0' } as const;

/** A temporary folder with the servers in `node_modules` and our OpenAPI document. */
export interface Installed {
  readonly folder: string;
  readonly document: string;
}

async function install(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-peers-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  const flags = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--no-package-lock'];
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', ...flags, ...packages], { cwd: folder });
  const document = join(folder, 'openapi.json');
  const { stdout } = await run(process.execPath, [program, 'openapi'], { env: {} });
  await writeFile(document, stdout);
  return { folder, document };
}

let installed: Promise<Installed> | undefined;

/** Installs the servers at the first call. They are removed when the process ends. */
export function installPeers(): Promise<Installed> {
  installed ??= install();
  return installed;
}
