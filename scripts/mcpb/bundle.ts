import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb';
import { jsonText } from '../package/json-text.ts';
import { copyProgram } from '../package/npm-package.ts';
import { drawIcon } from './icon.ts';
import { manifest, screenshots } from './manifest.ts';

/** Without "type", Node would take the program for CommonJS. */
const packageOfBundle = { name: manifest.name, version: manifest.version, private: true, type: 'module' };

/**
 * Writes the content of the bundle into `folder`, which is emptied first, and packs it into `file`. `dist` is what
 * `npm run build` made. Throws if the official packer finds fault with it.
 */
export async function writeBundle(dist: string, folder: string, file: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await copyProgram(dist, folder);
  await cp('LICENSE', join(folder, 'LICENSE'));
  for (const name of screenshots) await cp(join('docs/images', name), join(folder, 'screenshots', name));
  await writeFile(join(folder, 'icon.png'), drawIcon());
  await writeFile(join(folder, 'package.json'), jsonText(packageOfBundle));
  await writeFile(join(folder, 'manifest.json'), jsonText(manifest));
  const isPacked = await packExtension({ extensionPath: folder, outputPath: file, silent: true });
  if (!isPacked) throw new Error('the bundle could not be packed: its manifest or its icon is invalid');
}
