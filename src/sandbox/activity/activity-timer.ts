import type { Account } from '../accounts/account.ts';
import { journalNameOf, runActivity } from '../journal/replay.ts';
import { nextActivity } from './activities.ts';

/** Lets things happen by themselves in an account, evenly over each minute, until `signal` aborts. */
export function startActivity(account: Account, signal: AbortSignal, log: (line: string) => void): void {
  const { activity } = account.settings;
  if (activity === 0) return;
  const timer = setInterval(() => {
    letSomethingHappen(account).catch((error: unknown) => log(`activity failed: ${String(error)}`));
  }, 60_000 / activity);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

async function letSomethingHappen(account: Account): Promise<void> {
  const { name, input } = nextActivity(account.academy);
  await account.write(journalNameOf(name), input, () => runActivity(name, input, account.academy));
}
