// `npm run mcpb` makes the bundle for Claude Desktop, build/academy-mcp.mcpb.

import { createHash } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb';
import packageJson from '../../package.json' with { type: 'json' };
import { describeTool } from '../../src/mcp/describe-tool.ts';
import { tools } from '../../tools/index.ts';
import { extensionEnvironment, extensionFields } from '../package/extension-fields.ts';
import { copyProgram } from '../package/npm-package.ts';
import { jsonText, project } from '../package/project.ts';

const { name, version, license, keywords, author, title, summary, repository } = project;
/** Files of `docs/images/`. */
export const screenshots = ['buyers-light-1000.png', 'sales-light-1000.png', 'outline-light-1000.png'];

const documents = `${repository.url}/blob/main`;

/** The first sentence: Claude Desktop shows one line for each tool. */
function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

/** `manifest.json` of the bundle, version 0.3 of the format. */
export const manifest = {
  manifest_version: '0.3',
  name,
  display_name: title,
  version,
  description: summary,
  long_description:
    'Connects Claude to an academy that has the Learning Platform Admin API v1. Fill in the address and the API key of an admin, or switch on "Try it with made-up data". Read-only is on at first: Claude then can change nothing.',
  author: { name: author },
  repository: { type: 'git', url: repository.url },
  homepage: repository.url,
  documentation: `${documents}/docs/install.md`,
  support: `${repository.url}/issues`,
  privacy_policies: [`${documents}/docs/privacy.md`],
  icon: 'icon.png',
  screenshots: screenshots.map((name) => `screenshots/${name}`),
  server: {
    type: 'node',
    entry_point: 'dist/extension.cjs',
    mcp_config: {
      command: 'node',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Desktop fills it in.
      args: ['${__dirname}/dist/extension.cjs'],
      env: extensionEnvironment,
    },
  },
  tools: tools.map(describeTool).map((tool) => ({ name: tool.name, description: firstSentence(tool.description) })),
  prompts_generated: true,
  keywords,
  license,
  compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: packageJson.engines.node } },
  user_config: extensionFields,
};

/** Without "type", Node would take the program for CommonJS. */
const packageOfBundle = { name: manifest.name, version: manifest.version, private: true, type: 'module' };

/** Writes the bundle of what `npm run build` made into `folder`, which is emptied first, and packs it into `file`. */
export async function writeBundle(dist: string, folder: string, file: string): Promise<void> {
  await copyProgram(dist, folder);
  await cp('LICENSE', join(folder, 'LICENSE'));
  for (const name of screenshots) await cp(join('docs/images', name), join(folder, 'screenshots', name));
  await cp('docs/images/icon.png', join(folder, 'icon.png'));
  await writeFile(join(folder, 'package.json'), jsonText(packageOfBundle));
  await writeFile(join(folder, 'manifest.json'), jsonText(manifest));
  const isPacked = await packExtension({ extensionPath: folder, outputPath: file, silent: true });
  if (!isPacked) throw new Error('the bundle could not be packed: its manifest or its icon is invalid');
}

if (import.meta.filename === process.argv[1]) {
  const file = 'build/academy-mcp.mcpb';
  await writeBundle('dist', 'build/mcpb', file);
  const bytes = await readFile(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  process.stdout.write(`${file} is ready: ${Math.ceil(bytes.length / 1024)} KB, SHA-256 ${sha256}\n`);
}
