import { isSecret, type Setting } from '../../src/config/setting.ts';
import { settings } from '../../src/config/settings.ts';
import { project } from './project.ts';

const schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** The settings that the README shows. A form with all of them would hide the two that are required. */
const { baseUrl, apiKey, readOnly, timezone, confirm } = settings;

function variable(setting: Setting) {
  return {
    name: setting.env,
    description: setting.help,
    isRequired: !setting.schema.safeParse(undefined).success,
    isSecret: isSecret(setting),
    ...(setting === readOnly ? { format: 'boolean' } : {}),
  };
}

/** `server.json`: the entry of the MCP registry. */
export const serverJson = {
  $schema: schema,
  name: project.mcpName,
  title: project.title,
  description: project.summary,
  version: project.version,
  repository: { url: project.repository.url, source: 'github' },
  packages: [
    {
      registryType: 'npm',
      registryBaseUrl: 'https://registry.npmjs.org',
      identifier: project.name,
      version: project.version,
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      environmentVariables: [baseUrl, apiKey, readOnly, timezone, confirm].map(variable),
    },
  ],
};
