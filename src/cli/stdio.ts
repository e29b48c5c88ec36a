import type { Logger } from 'pino';
import { instructionsFor } from '../../tools/instructions.ts';
import { formFields, formTitles, formVariable, namingFields, withFieldNames } from '../config/field-names.ts';
import type { Environment, Flags } from '../config/load.ts';
import { loadConfig, secretsOf } from '../config/load.ts';
import { createLazyApp, type ServedApp } from '../lazy-app.ts';
import { serveStdio } from '../server/stdio/serve-stdio.ts';
import { SettingsError } from '../shared/errors.ts';
import { createLogger } from '../shared/logger.ts';
import { createStartParts, hasJournalFile } from '../start-parts.ts';
import type { CommandContext } from './command-context.ts';
import { type OpenAcademy, openAcademy } from './open-academy.ts';
import type { AppOptions } from './open-app.ts';

interface Served {
  readonly app: ServedApp;
  readonly log: Logger;
  close(): Promise<void>;
}

/** Loads nothing without an events file. */
async function openEventsToRead({ config, accounts }: Pick<OpenAcademy, 'config' | 'accounts'>) {
  const configs = accounts?.list.map((account) => account.config) ?? [config];
  if (configs.every(({ eventsFile }) => eventsFile === undefined)) return undefined;
  return (await import('./open-events.ts')).openEvents({ config, accounts, receives: false });
}

/** Each client starts a process: the heap grows by 20% between full collections, and that of young objects not at all. */
async function keepHeapSmall() {
  // Late: it takes a millisecond.
  const { setFlagsFromString } = await import('node:v8');
  for (const flag of ['--heap-growing-percent=20', '--semi-space-growth-factor=1']) setFlagsFromString(flag);
}

/** The app of one account lists before it loads the rest. That of several loads everything. */
async function openServed(options: AppOptions): Promise<Pick<Served, 'app' | 'log'>> {
  const { config, accounts, sandbox, stderr, eventsOf } = options;
  if (accounts !== undefined) {
    await keepHeapSmall();
    return await (await import('./open-app.ts')).openApp(options);
  }
  const log = createLogger(config.logLevel, secretsOf(config), stderr);
  const { listing } = await import('../../tools/listing.ts');
  const events = eventsOf?.();
  const parts = createStartParts({ config, log, listing, instructions: instructionsFor, sandbox, events });
  // Most of the program: it is loaded by the first call, since many clients start the server and call nothing.
  const open = async () => {
    const [{ createApp }, { catalog }, { openShared }] = await Promise.all([
      import('../app.ts'),
      import('../../tools/catalog.ts'),
      import('./open-app.ts'),
    ]);
    const shared = await openShared(config, log);
    await keepHeapSmall();
    return createApp({ config, ...catalog, log, parts, events, shared });
  };
  const opensOnceListed = config.mirror !== 'off' || hasJournalFile(config);
  return { app: createLazyApp(parts, log, open, opensOnceListed), log };
}

async function openAll({ environment, stderr }: CommandContext, flags: Flags, sandbox: boolean): Promise<Served> {
  const { close: closeAcademy, ...academy } = await openAcademy({ flags, environment }, sandbox);
  const events = await openEventsToRead(academy);
  const served = await openServed({ ...academy, sandbox, stderr, ...(events && { eventsOf: events.eventsOf }) });
  const close = async () => {
    await events?.close();
    await closeAcademy();
  };
  return { ...served, close };
}

function formProblem({ message, hint = '' }: SettingsError, environment: Environment): SettingsError {
  const required = ['ACADEMY_BASE_URL', 'ACADEMY_API_KEY'] as const;
  const empty = required.filter((name) => !environment[name]?.trim() && !environment[`${name}_FILE`]);
  const titles = empty.map((name) => `"${formTitles[name]}"`).join(' and ');
  const isEmpty = empty.length > 0 && / is not set$/.test(message);
  const problem = isEmpty
    ? `the settings of this extension have no value for ${titles}`
    : `a setting of this extension must be corrected: ${withFieldNames(message, formFields)}`;
  const next = isEmpty
    ? 'Ask the person to fill them in, or to switch on "Try it with made-up data".'
    : `${hint} Ask the person to correct it.`.trim();
  const where = 'Claude Desktop: Settings, Extensions. Claude Code: /plugin. Then start the app again.';
  return new SettingsError(problem, `${next} ${where}`);
}

/** Lists the tools and answers every call with what is wrong: an extension that ends gives its reason only to a log. */
async function openWithProblem(error: SettingsError, { environment, stderr }: CommandContext): Promise<Served> {
  const problem = formProblem(error, environment);
  stderr.write(`academy-mcp: ${problem.message}. ${problem.hint}\n`);
  const { listing } = await import('../../tools/listing.ts');
  const readOnly = environment.ACADEMY_READ_ONLY === 'false' ? 'false' : 'true';
  const config = loadConfig({ baseUrl: 'https://not-set.invalid', readOnly }, { ACADEMY_API_KEY: 'not-set' });
  const log = createLogger('silent', [], stderr);
  const parts = createStartParts({ config, log, listing, instructions: instructionsFor, account: 'not set up yet' });
  return { app: createLazyApp(parts, log, () => Promise.reject(problem), false), log, close: async () => {} };
}

async function openForm(context: CommandContext, flags: Flags, withSandbox: boolean): Promise<Served> {
  const served = await openAll(context, flags, withSandbox).catch((error: unknown) => {
    if (error instanceof SettingsError) return openWithProblem(error, context);
    throw error;
  });
  const serviceFor: ServedApp['serviceFor'] = (...caller) => namingFields(served.app.serviceFor(...caller), formFields);
  return { ...served, app: { ...served.app, serviceFor } };
}

/** `academy-mcp` without a command: serves one MCP client on stdin and stdout until the client disconnects. */
export async function serveCommand(context: CommandContext, flags: Flags, withSandbox: boolean): Promise<void> {
  const { environment, stdin, stdout, stderr, signal, isTerminal } = context;
  const open = environment[formVariable] === undefined ? openAll : openForm;
  const { app, log, close } = await open(context, flags, withSandbox);
  if (isTerminal) stderr.write('Waiting for an MCP client on stdin. Press Ctrl-C to stop.\n');
  await serveStdio({ app, stdin, stdout, log, signal });
  await app.close();
  await close();
}
