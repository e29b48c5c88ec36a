import type { Logger } from 'pino';
import { catalog } from '../../tools/catalog.ts';
import type { TokenLog } from '../api/rate-limit/limiter.ts';
import { type App, createApp } from '../app.ts';
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
  /** The measurements of an account, or of the only one. */
  meterOf?: (account?: string) => Meter;
  /** The events of the only account. */
  events?: EventFeed | undefined;
  /** The events of an account of an accounts file. */
  eventsOf?: (account: string) => EventFeed | undefined;
  /** Whether exports are links. */
  linksExports?: boolean;
  /** Multiplies all pauses of the API clients: 1, or less in tests. */
  pace?: number;
}

/** Connects to the Redis of the settings, if there is one. Loads its client only then. */
export async function openShared(config: Config, log: Logger): Promise<SharedState<TokenLog> | undefined> {
  const { redisUrl, redisPrefix, replicas } = config;
  if (redisUrl === undefined || replicas === undefined) return undefined;
  const { openSharedState } = await import('../redis/open-shared-state.ts');
  return await openSharedState({ redisUrl, redisPrefix, replicas, log });
}

/** An app that closes what it shares with other replicas after everything else. */
export function withShared<Opened extends App>(app: Opened, shared: SharedState<TokenLog> | undefined): Opened {
  if (shared === undefined) return app;
  const close = async () => {
    await app.close();
    await shared.close();
  };
  return { ...app, shared, close };
}

/** The program for one account or for those of an accounts file, and its log. */
export async function openApp(options: AppOptions) {
  const { config, accounts, sandbox, stderr, meterOf, events, eventsOf, pace, linksExports = false } = options;
  if (accounts === undefined) {
    const log = createLogger(config.logLevel, secretsOf(config), stderr);
    const meter = meterOf?.();
    const shared = await openShared(config, log);
    const own = { config, ...catalog, log, sandbox, pace, shared, meter, events, linksExports };
    const app = createApp(own);
    return { app: withShared(app, shared), log };
  }
  const { createAccountsApp, secretsOfAll } = await import('../accounts/accounts-app.ts');
  const log = createLogger(config.logLevel, secretsOfAll(accounts), stderr);
  const shared = await openShared(config, log);
  const all = { config, accounts, ...catalog, log, pace, shared, meterOf, eventsOf, linksExports };
  const app = createAccountsApp(all);
  return { app: withShared(app, shared), log };
}
