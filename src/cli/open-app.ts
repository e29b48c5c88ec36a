import { catalog } from '../../tools/catalog.ts';
import { listing } from '../../tools/listing.ts';
import { type App, createApp } from '../app.ts';
import { secretsOf } from '../config/load.ts';
import { createLogger } from '../shared/logger.ts';
import type { Meter } from '../shared/metrics.ts';
import type { CommandContext } from './command-context.ts';
import type { OpenAcademy } from './open-academy.ts';

export interface AppOptions extends Pick<OpenAcademy, 'config' | 'accounts'> {
  sandbox: boolean;
  stderr: CommandContext['stderr'];
  /** The measurements of an account, or of the only one. */
  meterOf?: (account?: string) => Meter;
  /** Multiplies all pauses of the API clients: 1, or less in tests. */
  pace?: number;
}

/** The program for one account or for those of an accounts file, and its log. */
export async function openApp({ config, accounts, sandbox, stderr, meterOf, pace }: AppOptions) {
  if (accounts === undefined) {
    const log = createLogger(config.logLevel, secretsOf(config), stderr);
    return { app: createApp({ config, ...catalog, listing, log, sandbox, pace, meter: meterOf?.() }) as App, log };
  }
  const { createAccountsApp, secretsOfAll } = await import('../accounts/accounts-app.ts');
  const log = createLogger(config.logLevel, secretsOfAll(accounts), stderr);
  return { app: createAccountsApp({ config, accounts, ...catalog, listing, log, pace, meterOf }), log };
}
