// `npm run docs` writes the generated parts of the documents; with `--check` it only says which are stale.

import { readFile, writeFile } from 'node:fs/promises';
import { Command, type Option } from 'commander';
import { unreadableResponseError } from '../../src/api/http/errors.ts';
import { waitTooLongError } from '../../src/api/rate-limit/limiter.ts';
import { addSandboxFlags } from '../../src/cli/sandbox.ts';
import { loadConfig } from '../../src/config/load.ts';
import { refusePlaceholders } from '../../src/config/placeholders.ts';
import { isSecret, type Setting } from '../../src/config/setting.ts';
import { settings } from '../../src/config/settings.ts';
import { errorText } from '../../src/mcp/output/error-text.ts';
import { type AcademyError, SettingsError } from '../../src/shared/errors.ts';
import { dataTools, eventTools, journalTools, tools } from '../../tools/index.ts';
import { dockerServer, dockerTools, glama } from '../package/catalogs.ts';
import { extensionEnvironment, extensionFields } from '../package/extension-fields.ts';
import { jsonText, project } from '../package/project.ts';
import { askAll, type Exchange, wholeAnswers } from './ask.ts';
import { dataQuestionList, dataTables } from './data-tables.ts';
import { errorTable } from './error-table.ts';
import { code, codeBlock, table } from './markdown.ts';
import { toolReference, toolTables } from './tool-tables.ts';

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

/** Wrong environments, by the name of the message that a person then reads at the start. */
const mistakes: Record<string, Record<string, string>> = {
  'no address': {},
  'example key': { ACADEMY_BASE_URL: 'https://school.test', ACADEMY_API_KEY: 'your-api-key' },
};

function asSentence(message: string): string {
  return message.endsWith('?') ? message : `${message}.`;
}

function startMessage(environment: Record<string, string>): string {
  try {
    refusePlaceholders(loadConfig({}, environment));
  } catch (error) {
    if (error instanceof SettingsError)
      return [`academy-mcp: ${asSentence(error.message)}`, error.hint].join(' ').trim();
  }
  throw new Error('the settings were accepted');
}

function callMessage(error: AcademyError): string {
  return errorText(error).split('\n')[0] ?? '';
}

/** docs/troubleshooting.md: messages of the program, as it prints them. */
function messages(): Parts {
  const lines = {
    ...Object.fromEntries(Object.entries(mistakes).map(([name, environment]) => [name, startMessage(environment)])),
    'not JSON': callMessage(unreadableResponseError(200)),
    'no request left': callMessage(waitTooLongError(57_000)),
  };
  return Object.fromEntries(Object.entries(lines).map(([name, line]) => [`message: ${name}`, codeBlock('text', line)]));
}

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
const marketplace = {
  name,
  description: summary,
  owner: { name: author },
  plugins: [{ name, source: './build/npm', description: summary, category: 'productivity' }],
};

/** Most defaults are filled in behind the command line, so that only the words of the flag tell them. */
const defaultInWords = / \(default: (.*)\)$/;

function defaultOf({ description, defaultValue }: Option): string {
  const [, said] = defaultInWords.exec(description) ?? [];
  return said ?? (defaultValue === undefined ? '' : String(defaultValue));
}

function meaningOf({ description, argChoices }: Option): string {
  const meaning = description.replace(defaultInWords, '');
  return argChoices === undefined ? meaning : `${meaning}; ${argChoices.map(code).join(' or ')}`;
}

/** docs/install.md: "Flags of the sandbox". */
function sandboxTable(): string {
  const { options } = addSandboxFlags(new Command());
  const rows = options.map((option) => [code(option.flags), defaultOf(option), meaningOf(option)]);
  return table(['Flag', 'Default', 'Meaning'], rows);
}

/** Longer answers are folded. */
const maxOpenLines = 12;

function answerPart(text: string): string {
  const answer = codeBlock('text', text);
  const lines = text.split('\n').length;
  if (lines <= maxOpenLines) return `**and reads:**\n\n${answer}`;
  return `<details>\n<summary><b>and reads</b> (${lines} lines)</summary>\n\n${answer}\n\n</details>`;
}

/** The question, the call and its answer, as Markdown. */
function transcript({ question, tool, args, text }: Exchange): string {
  const call = codeBlock('json', JSON.stringify(args));
  return [`**You:** ${question}`, `**The assistant calls** \`${tool}\`:`, call, answerPart(text)].join('\n\n');
}

/** With those that only some servers list. */
const allTools = [...tools, ...eventTools, ...journalTools, ...dataTools];

export interface Documents {
  /** The parts that are made from the code, by the file that holds them. */
  readonly parts: Readonly<Record<string, Parts>>;
  /** Files that are made from the code as a whole. */
  readonly files: Readonly<Record<string, string>>;
}

function answersByTool(exchanges: readonly Exchange[]): Parts {
  return Object.fromEntries(exchanges.map((exchange) => [`answer of ${exchange.tool}`, transcript(exchange)]));
}

/** The short tables link to the reference, which is on the same page. */
function toolOverview(): string {
  return toolTables(allTools).replaceAll('](docs/internals/tools.md#', '](#');
}

/** Everything in the documents that is made from the code. */
export async function generatedDocuments(): Promise<Documents> {
  return {
    parts: {
      'docs/data.md': { 'data tables': dataTables(), 'data questions': dataQuestionList() },
      'docs/install.md': { 'sandbox flags': sandboxTable() },
      'docs/settings.md': { settings: settingsTable() },
      'docs/task-tools.md': { ...answersByTool(await askAll(wholeAnswers)), errors: errorTable() },
      'docs/troubleshooting.md': messages(),
      'docs/internals/tools.md': { 'tool tables': toolOverview(), tools: toolReference(allTools) },
    },
    files: {
      '.claude-plugin/marketplace.json': jsonText(marketplace),
      '.claude-plugin/plugin.json': jsonText(plugin),
      'deploy/docker-catalog/server.yaml': dockerServer,
      'deploy/docker-catalog/tools.json': dockerTools(tools),
      'glama.json': glama,
      'server.json': jsonText(serverJson),
    },
  };
}

const isCheck = process.argv.includes('--check');
const result = isCheck ? 'is stale; run npm run docs' : 'was written';

function pathOf(file: string): URL {
  return new URL(`../../${file}`, import.meta.url);
}

/** Returns one line for each stale part. */
async function updateParts(file: string, parts: Parts): Promise<string[]> {
  const document = await readFile(pathOf(file), 'utf8');
  const stale = staleParts(document, parts);
  if (!isCheck && stale.length > 0) await writeFile(pathOf(file), withParts(document, parts));
  return stale.map((name) => `${file}: "${name}" ${result}`);
}

async function updateFile(file: string, content: string): Promise<string[]> {
  const current = await readFile(pathOf(file), 'utf8').catch(() => undefined);
  if (current === content) return [];
  if (!isCheck) await writeFile(pathOf(file), content);
  return [`${file} ${result}`];
}

const { parts, files } = await generatedDocuments();
const updates = [
  ...Object.entries(parts).map(([file, inFile]) => updateParts(file, inFile)),
  ...Object.entries(files).map(([file, content]) => updateFile(file, content)),
];
const lines = (await Promise.all(updates)).flat();
for (const line of lines) process.stdout.write(`${line}\n`);
process.exitCode = isCheck && lines.length > 0 ? 1 : 0;

/** The content between the marks of a document, by the name in the marks. */
export type Parts = Readonly<Record<string, string>>;

function marked(name: string, content: string): string {
  return `<!-- generated: ${name} -->\n\n${content}\n\n<!-- end: ${name} -->`;
}

function markedPattern(name: string): RegExp {
  return new RegExp(`<!-- generated: ${name} -->[\\s\\S]*?<!-- end: ${name} -->`);
}

/** Returns the document with every part replaced. Throws if a part has no marks. */
export function withParts(document: string, parts: Parts): string {
  return Object.entries(parts).reduce((text, [name, content]) => {
    if (!markedPattern(name).test(text)) throw new Error(`there are no marks for the part "${name}"`);
    // A function, since "$" in the content would mean something in a replacement text.
    return text.replace(markedPattern(name), () => marked(name, content));
  }, document);
}

/** Names of the parts that the document shows differently, or not at all. */
export function staleParts(document: string, parts: Parts): string[] {
  const stale = Object.entries(parts).filter(([name, content]) => !document.includes(marked(name, content)));
  return stale.map(([name]) => name);
}

/** What holds when nothing is set, as a person would write it. */
function settingDefault({ schema }: Setting): string {
  const parsed = schema.safeParse(undefined);
  if (!parsed.success) return 'required';
  const isNothing = parsed.data === undefined || (Array.isArray(parsed.data) && parsed.data.length === 0);
  return isNothing ? 'not set' : code(String(parsed.data));
}

function flagOf({ flag, value }: Setting): string {
  if (flag === undefined) return 'none, being a secret';
  return code(`--${flag}${value === undefined ? '' : ` <${value}>`}`);
}

/** docs/settings.md: "All settings". */
function settingsTable(): string {
  const rows = Object.values<Setting>(settings).map((setting) => [
    code(setting.env),
    flagOf(setting),
    settingDefault(setting),
    setting.help
      .replace('(see Safety)', '(see [Safety](safety.md#confirmation))')
      .replace('(see Replicas)', '(see [Replicas](deploy.md#replicas))')
      .replace('(see Several academies)', '(see [Several academies](accounts.md))'),
  ]);
  return table(['Variable', 'Flag', 'Default', 'Meaning'], rows);
}
