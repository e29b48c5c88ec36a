import { tools } from '../../tools/index.ts';
import { createApp } from '../app.ts';
import { type Environment, type Flags, loadConfig } from '../config.ts';
import { createLogger } from '../logger.ts';
import { serveStdio } from '../transport/stdio.ts';
import type { CommandContext } from './context.ts';

/** An academy of our own to serve from, and the settings that lead to it. */
async function openSandbox(flags: Flags, environment: Environment) {
  const { startSandbox } = await import('../sandbox/index.ts');
  const sandbox = await startSandbox();
  // An address and key of a real academy may be set as well: --sandbox wins, so that nothing real is touched.
  const config = loadConfig({ ...flags, baseUrl: sandbox.url }, { ...environment, ACADEMY_API_KEY: sandbox.apiKey });
  return { config, close: () => sandbox.close() };
}

/** `academy-mcp`: serves one MCP client on stdin and stdout, until it is gone. */
export async function serve(context: CommandContext, flags: Flags, withSandbox: boolean): Promise<void> {
  const { environment, stdin, stdout, stderr, signal } = context;
  const academy = withSandbox
    ? await openSandbox(flags, environment)
    : { config: loadConfig(flags, environment), close: async () => {} };
  const { config } = academy;
  const log = createLogger(config.logLevel, [config.apiKey], stderr);
  const app = createApp({ config, tools, log, sandbox: withSandbox });
  await serveStdio({ app, stdin, stdout, log, signal });
  await app.close();
  await academy.close();
}
