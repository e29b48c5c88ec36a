import { setMaxListeners } from 'node:events';
import { type Account, type Accounts, accountSettings } from './accounts/account.ts';
import { journalNameOf, openAccounts, runActivity } from './accounts/open-accounts.ts';
import { nextActivity } from './activity/activities.ts';
import { type RunningServer, startServer } from './http/server.ts';
import { openJournal } from './journal/journal.ts';
import { parseOptions, type SandboxOptions } from './options.ts';
import type { Academy } from './state/academy.ts';

export type { AccountOptions, SandboxOptions } from './options.ts';

/** A running sandbox: an embedded academy with the API over HTTP. */
export interface Sandbox {
  /** Base URL of the first account. */
  url: string;
  /** An admin key of the first account. */
  apiKey: string;
  /** A key of a user who is not an admin, in the first account; empty if there is none. */
  studentKey: string;
  /** All accounts, with the address of each and the number of students and orders seeded. */
  accounts: { subdomain: string; url: string; apiKeys: readonly string[]; students: number; orders: number }[];
  /** The state of the first account. */
  academy: Academy;
  /** Ends connections, timers and deliveries. A second call has no effect. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox. Rejects with a SettingsError for an invalid option, a port in use or an unusable journal file, and
 * with an Error that names file and line for a journal that cannot be replayed.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const resolved = parseOptions(options);
  const settings = accountSettings(resolved);
  const opened = resolved.data === undefined ? undefined : await openJournal(resolved.data);
  const stopping = new AbortController();
  // Each webhook target and account adds a listener; from 11 on, Node would warn of a leak.
  setMaxListeners(0, stopping.signal);
  const release = async () => {
    stopping.abort();
    await opened?.journal.close();
  };
  try {
    const accounts = await openAccounts(settings, resolved, opened, stopping.signal);
    const server = await startServer({ ...resolved, accounts });
    for (const account of accounts.all) startActivity(account, stopping.signal, resolved.log);
    return describe(accounts, server, release);
  } catch (error) {
    await release();
    throw error;
  }
}

function describe(accounts: Accounts, server: RunningServer, release: () => Promise<void>): Sandbox {
  const { settings, academy } = accounts.first;
  let closed: Promise<void> | undefined;
  return {
    url: server.url,
    apiKey: settings.apiKeys[0] ?? '',
    studentKey: settings.studentKeys[0] ?? '',
    accounts: accounts.all.map(({ settings: { subdomain, apiKeys, students, orders } }) => ({
      subdomain,
      url: `${server.url}/${subdomain}`,
      apiKeys,
      students,
      orders,
    })),
    academy,
    close: () => (closed ??= server.close().finally(release)),
  };
}

/** Simulates member activity in an account, at even intervals, until `signal` aborts. */
function startActivity(account: Account, signal: AbortSignal, log: (line: string) => void): void {
  const { activity } = account.settings;
  if (activity === 0) return;
  const timer = setInterval(() => {
    simulateNext(account).catch((error: unknown) => log(`activity failed: ${String(error)}`));
  }, 60_000 / activity);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

async function simulateNext(account: Account): Promise<void> {
  const { name, input } = nextActivity(account.academy);
  await account.write(journalNameOf(name), input, () => runActivity(name, input, account.academy));
}
