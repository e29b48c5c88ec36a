import { stringify } from 'yaml';
import { settings } from '../../src/config/settings.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { argumentsOf } from '../docs/tool-tables.ts';
import { jsonText, project } from './project.ts';

// What catalogues of MCP servers other than the registry read. A person proposes these files there.

const { baseUrl, apiKey, readOnly, timezone } = settings;

/** `glama.json`: who may edit the entry at Glama. */
export const glama = jsonText({
  $schema: 'https://glama.ai/mcp/schemas/server.json',
  maintainers: [project.repository.owner],
});

const filledIn = (name: string) => `{{${project.name}.${name}}}`;

/** `server.yaml` of Docker's MCP catalogue. Its pull request sets the commit. */
export const dockerServer = stringify(
  {
    name: project.name,
    image: `mcp/${project.name}`,
    type: 'server',
    meta: { category: 'productivity', tags: project.keywords.filter((word) => word !== 'mcp') },
    about: { title: project.title, description: project.summary },
    source: { project: project.repository.url, branch: 'main' },
    // The image serves HTTP unless it gets flags of its own.
    run: { command: [`--${timezone.flag}=${filledIn('timezone')}`] },
    config: {
      description: 'Connect to your academy',
      secrets: [{ name: `${project.name}.api_key`, env: apiKey.env, example: '<API_KEY>' }],
      env: [
        { name: baseUrl.env, example: 'https://academy.example.com', value: filledIn('base_url') },
        { name: readOnly.env, example: 'true', value: filledIn('read_only') },
      ],
      parameters: {
        type: 'object',
        properties: {
          base_url: { type: 'string', description: baseUrl.help },
          timezone: { type: 'string', description: timezone.help, default: 'UTC' },
          read_only: { type: 'boolean', description: readOnly.help, default: true },
        },
        required: ['base_url'],
      },
    },
  },
  { lineWidth: 0 },
);

/** `tools.json` beside it: without settings the server cannot be started to list its tools. */
export function dockerTools(tools: readonly Tool[]): string {
  const listed = tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    arguments: argumentsOf(tool).map(({ name, type, meaning }) => ({ name, type, desc: meaning })),
  }));
  return jsonText(listed);
}
