import { extensionEnvironment, extensionFields } from './extension-fields.ts';
import { project } from './project.ts';

const { name, version, license, keywords, author, summary, repository } = project;

/** `.claude-plugin/plugin.json`. Works in the npm package and, after a build, in a checkout: both hold `dist`. */
export const plugin = {
  name,
  version,
  description: summary,
  author: { name: author },
  homepage: repository.url,
  repository: repository.url,
  license,
  keywords,
  userConfig: extensionFields,
  mcpServers: {
    academy: {
      command: 'node',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code fills it in.
      args: ['${CLAUDE_PLUGIN_ROOT}/dist/extension.cjs'],
      env: extensionEnvironment,
    },
  },
};

/**
 * `.claude-plugin/marketplace.json` of the repository. Claude Code copies the folder of a plugin, so the plugin is the
 * npm package that `npm run package` makes and not the checkout with all its tools.
 */
export const marketplace = {
  name,
  description: summary,
  owner: { name: author },
  plugins: [{ name, source: './build/npm', description: summary, category: 'productivity' }],
};
