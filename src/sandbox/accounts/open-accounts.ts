import { createAcademy } from '../create-academy.ts';
import type { OpenedJournal } from '../journal/journal.ts';
import type { JournalHeader } from '../journal/journal-line.ts';
import { replay, requireSameSeed } from '../journal/replay.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Academy } from '../state/academy.ts';
import { Webhooks } from '../webhooks.ts';
import type { AccountSettings } from './account.ts';
import { Account, Accounts, runningClock } from './account.ts';

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

interface OpenedAccount {
  settings: AccountSettings;
  academy: Academy;
}

/**
 * Creates the academy of each account: seeds it, replays the journal, and starts its clock at `start` or at the last
 * write, whichever is later.
 */
async function openAcademies(
  settings: readonly AccountSettings[],
  start: Date,
  opened: OpenedJournal | undefined,
): Promise<OpenedAccount[]> {
  const accounts: (OpenedAccount & { protect(): void })[] = [];
  for (const account of settings) accounts.push(seeded(account, await dataTime(account, start, opened)));
  const entries = opened?.content.entries ?? [];
  replay(entries, new Map(accounts.map(({ settings, academy }) => [settings.subdomain, academy])), opened?.file ?? '');
  for (const { settings, academy, protect } of accounts) {
    const last = entries.findLast(({ account }) => account === settings.subdomain);
    academy.clock = runningClock(new Date(Math.max(start.getTime(), Date.parse(last?.at ?? start.toISOString()))));
    protect();
  }
  return accounts;
}

/** Protects courses only after the replay: the journal may hold a reset from before they were protected. */
function seeded(settings: AccountSettings, now: Date): OpenedAccount & { protect(): void } {
  const { seed, students, orders, subdomain, plan, sequence } = settings;
  const protectedCourses: number[] = [];
  const data = { seed, students, orders, subdomain, plan, sequence };
  const academy = createAcademy({ ...data, now, clock: () => now, protectedCourses });
  return { settings, academy, protect: () => void protectedCourses.push(...settings.protectedCourses) };
}

/** The newest time of the seeded data. With an existing journal, the time at which that was created. */
async function dataTime(account: AccountSettings, start: Date, opened: OpenedJournal | undefined): Promise<Date> {
  if (opened === undefined) return start;
  const header = opened.content.headers.find((header) => header.account === account.subdomain);
  if (header === undefined) {
    await opened.journal.append(headerOf(account, start));
    return start;
  }
  requireSameSeed(header, account, opened.file);
  return new Date(header.now);
}

function headerOf({ subdomain, seed, students, orders, sequence }: AccountSettings, now: Date): JournalHeader {
  return { journal: 1, account: subdomain, seed, students, orders, sequence, now: now.toISOString() };
}
