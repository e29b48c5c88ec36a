import type { Account } from '../accounts/account.ts';
import { journalNameOf, runActivity } from '../journal/replay.ts';
import { nextActivity } from './activities.ts';

/** Simulates member activity in an account, at even intervals, until `signal` aborts. */
export function startActivity(account: Account, signal: AbortSignal, log: (line: string) => void): void {
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
