import packageJson from '../../package.json' with { type: 'json' };
import { describeTool } from '../../src/mcp/describe-tool.ts';
import { tools } from '../../tools/index.ts';
import { extensionEnvironment, extensionFields } from '../package/extension-fields.ts';
import { project } from '../package/project.ts';

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
