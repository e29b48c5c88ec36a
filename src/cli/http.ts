import { Command } from 'commander';
import { createPrometheus } from '../server/http/prometheus.ts';
import { serveHttp } from '../server/http/serve.ts';
import { addSettingFlags, type CommandContext, readSettingFlags, untilAborted } from './command-context.ts';
import { checkDependencies } from './dependencies.ts';
import { openAcademy } from './open-academy.ts';
import { openApp } from './open-app.ts';
import { openEvents } from './open-events.ts';

interface HttpFlags extends Record<string, unknown> {
  stateless?: true;
  sandbox?: true;
}

async function serve({ environment, stdout, stderr, signal }: CommandContext, options: HttpFlags): Promise<void> {
  const { stateless = false, sandbox = false } = options;
  const sources = { flags: readSettingFlags(options), environment, command: 'http' } as const;
  const { config, accounts, close } = await openAcademy(sources, sandbox);
  await checkDependencies(config, Boolean(environment.HTTPS_PROXY ?? environment.https_proxy)).catch(async (error) => {
    await close();
    throw error;
  });
  const prometheus = createPrometheus({ hasAccounts: accounts !== undefined, callers: config.httpTokens });
  const { meterOf } = prometheus;
  const { webhooks, close: closeEvents, eventsOf } = openEvents({ config, accounts, receives: true });
  const { app, log } = await openApp({ config, accounts, sandbox, stderr, meterOf, eventsOf, linksExports: true });
  prometheus.watchBudgets(app.budgets);
  const { httpHost: host, httpPort: port } = config;
  const server = await serveHttp({ app, config, log, prometheus, host, port, stateless, accounts, webhooks });
  const isOpen = config.httpTokens.length === 0 && config.oauthIssuer === undefined;
  stdout.write(`MCP server listening on ${server.url}${isOpen ? ' (no authentication, this machine only)' : ''}\n`);
  await untilAborted(signal);
  await server.drain();
  await closeEvents();
  await close();
}

export function createCommand(context: CommandContext): Command {
  const command = new Command('http')
    .option('--stateless', 'keep no sessions, so that any replica can answer any request')
    .option('--sandbox', 'use an embedded academy with made-up data instead of a real one');
  return addSettingFlags(command, 'http').action((options: HttpFlags) => serve(context, options));
}
