import type { Logger } from 'pino';
import { catalog } from '../../tools/catalog.ts';
import type { TokenLog } from '../api/rate-limit/token-pool.ts';
import { createApp } from '../app.ts';
import type { Config } from '../config/load.ts';
import { secretsOf } from '../config/load.ts';
import type { EventFeed } from '../events/event-feed.ts';
import { createLogger } from '../shared/logger.ts';
import type { Meter } from '../shared/metrics.ts';
import type { SharedState } from '../shared/shared-store.ts';
import type { CommandContext } from './command-context.ts';
import type { OpenAcademy } from './open-academy.ts';

export interface AppOptions extends Pick<OpenAcademy, 'config' | 'accounts'> {
  sandbox: boolean;
  stderr: CommandContext['stderr'];
  /** The measurements and the events of an account of an accounts file, or without a name those of the only one. */
  meterOf?: (account?: string) => Meter;
  eventsOf?: (account?: string) => EventFeed | undefined;
  /** Whether exports are links. */
  linksExports?: boolean;
  /** Multiplies all pauses of the API clients: 1, or less in tests. */
  pace?: number;
  /** The clock; default: that of this machine. */
  now?: () => Date;
}

/** Connects to the Redis of the settings, if there is one. Loads its client only then. The app closes it. */
export async function openShared(config: Config, log: Logger): Promise<SharedState<TokenLog> | undefined> {
  const { redisUrl, redisPrefix, replicas } = config;
  if (redisUrl === undefined || replicas === undefined) return undefined;
  const { openSharedState } = await import('../redis/open-shared-state.ts');
  return await openSharedState({ redisUrl, redisPrefix, replicas, log });
}

/** The program for one account or for those of an accounts file, and its log. */
export async function openApp({ accounts, sandbox, stderr, meterOf, eventsOf, ...options }: AppOptions) {
  const { config } = options;
  const openWith = async (secrets: readonly string[]) => {
    const log = createLogger(config.logLevel, secrets, stderr);
    return { ...options, ...catalog, log, shared: await openShared(config, log) };
  };
  if (accounts === undefined) {
    const parts = await openWith(secretsOf(config));
    return { app: createApp({ ...parts, sandbox, meter: meterOf?.(), events: eventsOf?.() }), log: parts.log };
  }
  const { createAccountsApp, secretsOfAll } = await import('../accounts/accounts-app.ts');
  const parts = await openWith(secretsOfAll(accounts));
  return { app: createAccountsApp({ ...parts, accounts, meterOf, eventsOf }), log: parts.log };
}
