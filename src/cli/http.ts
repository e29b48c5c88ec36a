import { Command, InvalidArgumentError } from 'commander';
import { catalog } from '../../tools/catalog.ts';
import { createApp } from '../app.ts';
import { secretsOf } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import { createPrometheus } from '../server/http/prometheus.ts';
import { serveHttp } from '../server/http/serve.ts';
import { createLogger } from '../shared/logger.ts';
import { type CommandContext, untilAborted } from './command-context.ts';
import { openAcademy } from './open-academy.ts';
import { addSettingFlags, readSettingFlags } from './settings-flags.ts';

interface HttpFlags extends Record<string, unknown> {
  host: string;
  port: number;
  stateless?: true;
  sandbox?: true;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('Must be a whole number from 0 to 65535.');
}

function introduction(
  url: string,
  { httpTokens, oauthIssuer }: { httpTokens: readonly string[]; oauthIssuer: string | undefined },
): string {
  const isOpen = httpTokens.length === 0 && oauthIssuer === undefined;
  return `MCP server listening on ${url}${isOpen ? ' (no authentication, this machine only)' : ''}\n`;
}

async function serve(context: CommandContext, flags: HttpFlags, settings: Flags): Promise<void> {
  const { environment, stdout, stderr, signal } = context;
  const { config, close } = await openAcademy(settings, environment, flags.sandbox === true);
  const log = createLogger(config.logLevel, secretsOf(config), stderr);
  const prometheus = createPrometheus();
  const app = createApp({ config, ...catalog, log, sandbox: flags.sandbox === true, meter: prometheus.meter });
  prometheus.watchBudget(app.api.budget);
  const { host, port, stateless = false } = flags;
  const server = await serveHttp({ app, config, log, prometheus, host, port, stateless });
  stdout.write(introduction(server.url, config));
  await untilAborted(signal);
  await server.drain();
  await close();
}

/** `academy-mcp http`: serves any number of MCP clients over Streamable HTTP until a signal arrives. */
export function httpCommand(context: CommandContext, before: Flags): Command {
  const command = new Command('http')
    .description('serve any number of clients over Streamable HTTP, at /mcp')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', parsePort, 3000)
    .option('--stateless', 'keep no sessions, so that any replica can answer any request')
    .option('--sandbox', 'use an embedded academy with made-up data instead of a real one');
  return addSettingFlags(command).action((flags: HttpFlags) =>
    serve(context, flags, { ...before, ...readSettingFlags(flags) }),
  );
}
