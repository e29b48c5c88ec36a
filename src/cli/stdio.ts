import type { Logger } from 'pino';
import { instructionsFor } from '../../tools/instructions.ts';
import { secretsOf } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import { createFront } from '../front.ts';
import { createLazyApp, type ServedApp } from '../lazy-app.ts';
import { serveStdio } from '../server/stdio/serve-stdio.ts';
import { createLogger } from '../shared/logger.ts';
import type { CommandContext } from './command-context.ts';
import { type OpenAcademy, openAcademy } from './open-academy.ts';
import type { AppOptions } from './open-app.ts';

/** Loads nothing without an events file. */
async function openEvents({ config: { eventsFile }, accounts }: Pick<OpenAcademy, 'config' | 'accounts'>) {
  const hasFile = accounts?.list.some(({ config }) => config.eventsFile !== undefined) ?? eventsFile !== undefined;
  if (!hasFile) return { close: async () => {} };
  if (accounts !== undefined) return (await import('./open-events.ts')).openEventsOfAccounts(accounts, false);
  return (await import('./open-events.ts')).openEventsToRead({ eventsFile });
}

/** The app of one account lists before it loads the rest. That of several loads everything. */
async function openServed(options: AppOptions): Promise<{ app: ServedApp; log: Logger }> {
  const { config, accounts, sandbox, stderr, events } = options;
  if (accounts !== undefined) return await (await import('./open-app.ts')).openApp(options);
  const log = createLogger(config.logLevel, secretsOf(config), stderr);
  const { listing } = await import('../../tools/listing.ts');
  const hasEvents = events !== undefined;
  const front = createFront({ config, listing, instructions: instructionsFor, sandbox, hasEvents });
  // Most of the program: it is loaded by the first call, since many clients start the server and call nothing.
  const open = async () => {
    const [{ createApp }, { catalog }, { openShared, withShared }] = await Promise.all([
      import('../app.ts'),
      import('../../tools/catalog.ts'),
      import('./open-app.ts'),
    ]);
    const shared = await openShared(config, log);
    return withShared(createApp({ config, ...catalog, log, front, events, shared }), shared);
  };
  const opensOnceListed = config.mirror !== 'off';
  return { app: createLazyApp(front, log, open, { events, opensOnceListed }), log };
}

/** `academy-mcp` without a command: serves one MCP client on stdin and stdout until the client disconnects. */
export async function serveCommand(context: CommandContext, flags: Flags, withSandbox: boolean): Promise<void> {
  const { environment, stdin, stdout, stderr, signal, isTerminal } = context;
  const { close, ...academy } = await openAcademy({ flags, environment }, withSandbox);
  const { close: closeEvents, ...events } = await openEvents(academy);
  const { app, log } = await openServed({ ...academy, sandbox: withSandbox, stderr, ...events });
  if (isTerminal) stderr.write('Waiting for an MCP client on stdin. Press Ctrl-C to stop.\n');
  await serveStdio({ app, stdin, stdout, log, signal });
  await app.close();
  await closeEvents();
  await close();
}
