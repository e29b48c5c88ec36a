import type { Account } from '../accounts/account.ts';
import { activityOperation, happen } from '../journal/replay.ts';
import { nextHappening } from './activity-events.ts';

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
  const { name, input } = nextHappening(account.academy);
  await account.write(activityOperation(name), input, () => happen(name, input, account.academy));
}
