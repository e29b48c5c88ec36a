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

const environmentVariables = [baseUrl, apiKey, readOnly, timezone, confirm].map(variable);

/** The image that a release pushes. */
const image = {
  registryType: 'oci',
  identifier: `ghcr.io/${project.repository.owner.toLowerCase()}/${project.name}:${project.version}`,
  runtimeHint: 'docker',
  transport: { type: 'stdio' },
  // Without any argument, the image serves HTTP.
  packageArguments: [{ type: 'named', name: `--${timezone.flag}`, description: timezone.help, default: 'UTC' }],
  environmentVariables: environmentVariables.filter(({ name }) => name !== timezone.env),
};

/** `server.json`: the entry of the MCP registry. A release adds its bundle, whose digest is known only then. */
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
      environmentVariables,
    },
    image,
  ],
};
