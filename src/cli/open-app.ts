import type { Logger } from 'pino';
import { catalog } from '../../tools/catalog.ts';
import type { SharedState } from '../api/rate-limit/token-pool.ts';
import { createApp } from '../app.ts';
import { type Config, secretsOf } from '../config/load.ts';
import type { EventFeed } from '../events/event-feed.ts';
import { createLogger } from '../shared/logger.ts';
import type { Meter } from '../shared/metrics.ts';
import type { CommandContext } from './command-context.ts';
import type { OpenAcademy } from './open-academy.ts';

export interface AppOptions extends Pick<OpenAcademy, 'config' | 'accounts'> {
  sandbox: boolean;
  stderr: CommandContext['stderr'];
  /** The measurements and the events of an account of an accounts file, or without a name those of the only one. */
  meterOf?: (account?: string) => Meter;
  eventsOf?: (account?: string) => EventFeed | undefined;
  linksExports?: boolean;
  /** Multiplies all pauses of the API clients: 1, or less in tests. */
  pace?: number;
  /** The clock; default: that of this machine. */
  now?: () => Date;
}

/** Connects to the Redis of the settings, if there is one. Loads its client only then. The app closes it. */
export async function openShared(config: Config, log: Logger): Promise<SharedState | undefined> {
  const { redisUrl, redisPrefix, replicas } = config;
  if (redisUrl === undefined || replicas === undefined) return undefined;
  const { openSharedState } = await import('../redis/open-shared-state.ts');
  return await openSharedState({ redisUrl, redisPrefix, replicas, log });
}

export async function openApp({ accounts, sandbox, stderr, meterOf, eventsOf, ...options }: AppOptions) {
  const { config } = options;
  const configs = accounts?.list.map((account) => account.config) ?? [config];
  const log = createLogger(config.logLevel, secretsOf(...configs), stderr);
  const parts = { ...options, ...catalog, log, shared: await openShared(config, log) };
  if (accounts === undefined)
    return { app: createApp({ ...parts, sandbox, meter: meterOf?.(), events: eventsOf?.() }), log };
  const { createAccountsApp } = await import('../accounts/accounts-app.ts');
  return { app: createAccountsApp({ ...parts, accounts, meterOf, eventsOf }), log };
}
