import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { jsonText } from './json-text.ts';
import { project } from './project.ts';

/** What the package needs besides the program. The last two make it a plugin of Claude Code, too. */
const documents = ['README.md', 'LICENSE', 'CHANGELOG.md', '.claude-plugin/plugin.json', 'skills'];

/** The package has no dependencies, since they are all in the bundle. */
function slimManifest() {
  const { name, version, description, license, repository, keywords, type, engines, bin } = packageJson;
  const { mcpName } = project;
  const files = ['dist', '.claude-plugin', 'skills', 'CHANGELOG.md'];
  return { name, version, mcpName, description, license, repository, keywords, type, engines, bin, files };
}

/** Copies the built program without its source maps, which are larger than itself. */
export function copyProgram(dist: string, folder: string): Promise<void> {
  return cp(dist, join(folder, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.map') });
}

/** Writes the npm package into `folder`, which is emptied first. `dist` is what `npm run build` made. */
export async function writeNpmPackage(dist: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await copyProgram(dist, folder);
  await Promise.all(documents.map((path) => cp(path, join(folder, path), { recursive: true })));
  await writeFile(join(folder, 'package.json'), jsonText(slimManifest()));
}
