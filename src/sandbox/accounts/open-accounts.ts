import type { OpenedJournal } from '../journal/journal.ts';
import type { ResolvedOptions } from '../options.ts';
import { Webhooks } from '../webhooks.ts';
import { Account } from './account.ts';
import type { AccountSettings } from './account-settings.ts';
import { Accounts } from './accounts.ts';
import { openAcademies } from './open-academies.ts';

/** Opens all accounts. `signal` stops their webhook deliveries. */
export async function openAccounts(
  settings: readonly AccountSettings[],
  options: ResolvedOptions,
  opened: OpenedJournal | undefined,
  signal: AbortSignal,
): Promise<Accounts> {
  const { windowMs, failRate, webhookBackoffMs: backoffMs, webhookTimeoutMs: timeoutMs, log } = options;
  const academies = await openAcademies(settings, options.now ?? new Date(), opened);
  const [first, ...others] = academies.map(({ settings: account, academy }) => {
    const webhooks = new Webhooks(account.webhooks, { backoffMs, timeoutMs, signal, log });
    return new Account(account, { academy, journal: opened?.journal, webhooks, windowMs, failRate });
  });
  if (first === undefined) throw new Error('a sandbox needs at least one account');
  return new Accounts(first, others);
}
