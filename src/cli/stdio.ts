import type { Logger } from 'pino';
import { instructionsFor } from '../../tools/instructions.ts';
import { secretsOf } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import { createFront } from '../front.ts';
import { createLazyApp, type ServedApp } from '../lazy-app.ts';
import { serveStdio } from '../server/stdio/serve-stdio.ts';
import { createLogger } from '../shared/logger.ts';
import type { CommandContext } from './command-context.ts';
import { openAcademy } from './open-academy.ts';
import type { AppOptions } from './open-app.ts';

/** The app of one account lists before it loads the rest. That of several loads everything. */
async function openServed(options: AppOptions): Promise<{ app: ServedApp; log: Logger }> {
  const { config, accounts, sandbox, stderr } = options;
  if (accounts !== undefined) return await (await import('./open-app.ts')).openApp(options);
  const log = createLogger(config.logLevel, secretsOf(config), stderr);
  const { listing } = await import('../../tools/listing.ts');
  const front = createFront({ config, listing, instructions: instructionsFor, sandbox });
  // Most of the program: it is loaded by the first call, since many clients start the server and call nothing.
  const opensOnceListed = config.mirror !== 'off';
  const load = async () => {
    const [{ createApp }, { catalog }] = await Promise.all([import('../app.ts'), import('../../tools/catalog.ts')]);
    return createApp({ config, ...catalog, log, front });
  };
  const app = createLazyApp(front, log, load, { opensOnceListed });
  return { app, log };
}

/** `academy-mcp` without a command: serves one MCP client on stdin and stdout until the client disconnects. */
export async function serveCommand(context: CommandContext, flags: Flags, withSandbox: boolean): Promise<void> {
  const { environment, stdin, stdout, stderr, signal, isTerminal } = context;
  const { close, ...academy } = await openAcademy({ flags, environment }, withSandbox);
  const { app, log } = await openServed({ ...academy, sandbox: withSandbox, stderr });
  if (isTerminal) stderr.write('Waiting for an MCP client on stdin. Press Ctrl-C to stop.\n');
  await serveStdio({ app, stdin, stdout, log, signal });
  await app.close();
  await close();
}
