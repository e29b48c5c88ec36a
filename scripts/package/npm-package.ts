// `npm run package` makes the npm package in build/npm.

import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { jsonText, project } from './project.ts';

/** What the package needs besides the program and what its README links. The last two make it a plugin of Claude Code, too. */
const documents = ['README.md', 'LICENSE', 'CHANGELOG.md', '.claude-plugin/plugin.json', 'skills'];

/** The files of this repository that a document links or shows. */
async function linkedBy(document: string): Promise<string[]> {
  const text = await readFile(document, 'utf8');
  const links = [...text.matchAll(/(?:\]\(|\bsrc(?:set)?=")([^)"#:\s]+)(?=[)"#])/g)].map(([, link = '']) => link);
  return [...new Set(links)].filter((link) => !link.startsWith('..') && !documents.includes(link));
}

/** The package has no dependencies, since they are all in the bundle. */
function slimManifest() {
  const { name, version, description, license, repository, keywords, type, engines, bin } = packageJson;
  const { mcpName } = project;
  const files = ['dist', 'docs', '.claude-plugin', 'skills', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  return { name, version, mcpName, description, license, repository, keywords, type, engines, bin, files };
}

/** Empties the folder, and copies the built program into it, without its source maps, which are larger than itself. */
export async function copyProgram(dist: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(dist, join(folder, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.map') });
}

/** Writes the npm package into `folder`, which is emptied first. `dist` is what `npm run build` made. */
export async function writeNpmPackage(dist: string, folder: string): Promise<void> {
  await copyProgram(dist, folder);
  const all = [...documents, ...(await linkedBy('README.md'))];
  await Promise.all(all.map((path) => cp(path, join(folder, path), { recursive: true })));
  await writeFile(join(folder, 'package.json'), jsonText(slimManifest()));
}

if (import.meta.filename === process.argv[1]) {
  await writeNpmPackage('dist', 'build/npm');
  process.stdout.write('build/npm is ready: npm pack ./build/npm\n');
}
