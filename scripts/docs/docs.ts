// `npm run docs` writes the generated parts of the documents; with `--check` it only says which are stale.

import { readFile, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { stringify } from 'yaml';
import { addSandboxFlags } from '../../src/cli/sandbox.ts';
import { isSecret, type Setting, settings } from '../../src/config/settings.ts';
import { tables } from '../../src/mirror/rows/tables.ts';
import { exampleQueries } from '../../tools/data/mirror-answer.ts';
import { dataTools, eventTools, journalTools, tools } from '../../tools/index.ts';
import { extensionEnvironment, extensionFields } from '../package/extension-fields.ts';
import { jsonText, project } from '../package/project.ts';
import { code, codeBlock, table } from './markdown.ts';
import { argumentsOf, toolIndex, toolReference } from './tool-tables.ts';

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
const serverJson = {
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

/** `.claude-plugin/marketplace.json`. Claude Code copies the folder of a plugin: the npm package, and not the whole checkout. */
const marketplace = {
  name,
  description: summary,
  owner: { name: author },
  plugins: [{ name, source: './build/npm', description: summary, category: 'productivity' }],
};

// What catalogues of MCP servers other than the registry read. A person proposes these files there.

/** `glama.json`: who may edit the entry at Glama. */
const glama = jsonText({
  $schema: 'https://glama.ai/mcp/schemas/server.json',
  maintainers: [project.repository.owner],
});

const filledIn = (name: string) => `{{${project.name}.${name}}}`;

/** `server.yaml` of Docker's MCP catalogue. Its pull request sets the commit. */
const dockerServer = stringify(
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
const dockerTools = tools.map((tool) => ({
  name: tool.name,
  description: tool.description,
  arguments: argumentsOf(tool).map(({ name, type, meaning }) => ({ name, type, desc: meaning })),
}));

/** docs/install.md: "Flags of the sandbox". Most defaults are filled in behind the command line: only the words of the flag say them. */
function sandboxTable(): string {
  const rows = addSandboxFlags(new Command()).options.map(({ flags, description, defaultValue = '', argChoices }) => {
    const [meaning = '', said = String(defaultValue)] = description.split(/ \(default: (.*)\)$/);
    const choices = argChoices === undefined ? '' : `; ${argChoices.map(code).join(' or ')}`;
    return [code(flags), said, meaning + choices];
  });
  return table(['Flag', 'Default', 'Meaning'], rows);
}

/** docs/data.md: every table and view with its columns. describe_data shows their meaning. */
function dataTables(): string {
  const rows = tables.map(({ name, meaning, columns }) => {
    return [code(name), meaning, columns.map((column) => code(column.name)).join(', ')];
  });
  return table(['Table', 'What it has', 'Columns'], rows);
}

/** Texts, and brackets with at most one level in them, which stay on their line; or the blank before a clause. */
const unit = /'[^']*'|\((?:[^()]|\([^()]*\))*\)| (?=(?:FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT|(?:LEFT )?JOIN) )/g;

export function inLines(sql: string): string {
  return sql.replaceAll(unit, (text) => (text === ' ' ? '\n' : text)).replaceAll('LEFT\nJOIN', 'LEFT JOIN');
}

/** docs/data.md: the questions that describe_data shows, with their statements. */
function dataQuestions(): string {
  const parts = exampleQueries.map(({ question, sql }) => {
    return `**${question.charAt(0).toUpperCase()}${question.slice(1)}**\n\n${codeBlock('sql', inLines(sql))}`;
  });
  return parts.join('\n\n');
}

/** With those that only some servers list. */
const allTools = [...tools, ...eventTools, ...journalTools, ...dataTools];

/** Parts of pages, by the name in their marks, and whole files. */
const pages: Record<string, Record<string, string>> = {
  'docs/data.md': { 'data tables': dataTables(), 'data questions': dataQuestions() },
  'docs/install.md': { 'sandbox flags': sandboxTable() },
  'docs/settings.md': { settings: settingsTable() },
  'docs/internals/tools.md': { 'tool index': toolIndex(allTools), tools: toolReference(allTools) },
};

const files: Record<string, string> = {
  '.claude-plugin/marketplace.json': jsonText(marketplace),
  '.claude-plugin/plugin.json': jsonText(plugin),
  'deploy/docker-catalog/server.yaml': dockerServer,
  'deploy/docker-catalog/tools.json': jsonText(dockerTools),
  'glama.json': glama,
  'server.json': jsonText(serverJson),
};

const pathOf = (file: string) => new URL(`../../${file}`, import.meta.url);

/** A page with the content between each pair of marks replaced. Throws if a part has no marks. */
export function withParts(page: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((text, [name, content]) => {
    const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
    const [before, rest] = text.split(start);
    const after = rest?.split(end)[1];
    if (after === undefined) throw new Error(`there are no marks for the part "${name}"`);
    return `${before}${start}\n\n${content}\n\n${end}${after}`;
  }, page);
}

/** Every file that is made from the code, as a whole or in parts, as it should be. */
export async function generatedDocuments(): Promise<Readonly<Record<string, string>>> {
  const written = Object.entries(pages).map(async ([file, parts]) => {
    return [file, withParts(await readFile(pathOf(file), 'utf8'), parts)] as const;
  });
  return { ...Object.fromEntries(await Promise.all(written)), ...files };
}

function settingDefault(schema: Setting['schema']): string {
  const { success, data } = schema.safeParse(undefined);
  if (!success) return 'required';
  const text = String(data ?? '');
  return text === '' ? 'not set' : code(text);
}

/** docs/settings.md: "All settings". */
function settingsTable(): string {
  const rows = Object.values<Setting>(settings).map(({ env, flag, value, help, schema }) => [
    code(env),
    flag === undefined ? 'none, being a secret' : code(`--${flag}${value === undefined ? '' : ` <${value}>`}`),
    settingDefault(schema),
    help
      .replace('(see Safety)', '(see [Safety](safety.md#confirmation))')
      .replace('(see Replicas)', '(see [Replicas](deploy.md#replicas))')
      .replace('(see Several academies)', '(see [Several academies](accounts.md))'),
  ]);
  return table(['Variable', 'Flag', 'Default', 'Meaning'], rows);
}

// Tests import functions of this file.
if (import.meta.filename === process.argv[1]) {
  const isCheck = process.argv.includes('--check');
  for (const [file, content] of Object.entries(await generatedDocuments())) {
    if ((await readFile(pathOf(file), 'utf8').catch(() => undefined)) === content) continue;
    if (isCheck) process.exitCode = 1;
    else await writeFile(pathOf(file), content);
    process.stdout.write(`${file} ${isCheck ? 'is stale; run npm run docs' : 'was written'}\n`);
  }
}
