import { operations } from '../../contract/index.ts';
import { SettingsError } from '../../shared/errors.ts';
import type { AccountSettings } from '../accounts/account.ts';
import { withFrozenClock } from '../accounts/account.ts';
import { activities } from '../activity/activities.ts';
import { callHandler } from '../handlers/index.ts';
import { validateInput } from '../parse-input.ts';
import type { Academy } from '../state/academy.ts';
import type { JournalHeader, NumberedEntry } from './journal-line.ts';

const activityPrefix = 'activity.';

/** The name of an activity in the journal. */
export function journalNameOf(name: string): string {
  return `${activityPrefix}${name}`;
}

/** Repeats the writes of a journal, each at its own time. Throws an Error that names `file` and the line. */
export function replay(entries: readonly NumberedEntry[], academies: ReadonlyMap<string, Academy>, file: string): void {
  for (const entry of entries) {
    try {
      replayOne(entry, academies.get(entry.account));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`--data ${file}, line ${entry.line}: cannot be replayed: ${reason}`, { cause: error });
    }
  }
}

function replayOne({ at, account, operation, input }: NumberedEntry, academy: Academy | undefined): void {
  if (academy === undefined) throw new Error(`unknown account "${account}"`);
  withFrozenClock(academy, new Date(at), () => perform(operation, input, academy));
}

function perform(name: string, input: unknown, academy: Academy): unknown {
  if (name.startsWith(activityPrefix)) return runActivity(name.slice(activityPrefix.length), input, academy);
  const operation = operations.find(({ id }) => id === name);
  if (operation === undefined) throw new Error(`unknown operation "${name}"`);
  return callHandler(operation, validateInput(operation, Object(input)), academy);
}

/** Runs an activity by name. Throws if the name is unknown or the input invalid. */
export function runActivity(name: string, input: unknown, academy: Academy): void {
  const [, activity] = Object.entries(activities).find(([known]) => known === name) ?? [];
  if (activity === undefined) throw new Error(`unknown activity "${name}"`);
  activity(input, academy);
}

/** Refuses other seeded data than the journal was written over: its writes would change other records. */
export function requireSameSeed(header: JournalHeader, settings: AccountSettings, file: string): void {
  for (const name of ['seed', 'students', 'orders', 'sequence'] as const) {
    if (header[name] === settings[name]) continue;
    const account = `account "${settings.subdomain}"`;
    throw new SettingsError(
      `--data ${file}: was written with ${name} ${header[name]} for ${account}, not ${settings[name]}; start with ${name} ${header[name]} or choose another file`,
    );
  }
}
