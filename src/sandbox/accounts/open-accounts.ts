import * as z from 'zod';
import { operations } from '../../contract/index.ts';
import { SettingsError } from '../../shared/errors.ts';
import { activities } from '../activity/activities.ts';
import { createAcademy } from '../create-academy.ts';
import { callHandler } from '../handlers/index.ts';
import type { JournalHeader, NumberedEntry, OpenedJournal } from '../journal/journal.ts';
import { type AccountOptions, accountOptions, firstIssue, optionsObject, type ResolvedOptions } from '../options.ts';
import { validateInput } from '../parse-input.ts';
import type { Academy } from '../state/academy.ts';
import { Webhooks } from '../webhooks.ts';
import { Account, type AccountSettings, Accounts, runningClock, withFrozenClock } from './account.ts';

const activityPrefix = 'activity.';

/** The name of an activity in the journal. */
export function journalNameOf(name: string): string {
  return `${activityPrefix}${name}`;
}

/** Repeats the writes of a journal, each at its own time. Throws an Error that names `file` and the line. */
function replay(entries: readonly NumberedEntry[], academies: ReadonlyMap<string, Academy>, file: string): void {
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
function requireSameSeed(header: JournalHeader, settings: AccountSettings, file: string): void {
  for (const name of ['seed', 'students', 'orders', 'sequence'] as const) {
    if (header[name] === settings[name]) continue;
    const account = `account "${settings.subdomain}"`;
    throw new SettingsError(
      `--data ${file}: was written with ${name} ${header[name]} for ${account}, not ${settings[name]}; start with ${name} ${header[name]} or choose another file`,
    );
  }
}

const { shape } = accountOptions;

/** People write this file by hand, so it uses the snake case of the API. */
const fileAccount = optionsObject({
  subdomain: shape.subdomain,
  api_keys: shape.apiKeys,
  student_keys: shape.studentKeys,
  plan: shape.plan,
  rate_limit: shape.rateLimit,
  seed: shape.seed,
  students: shape.students,
  orders: shape.orders,
  sequence: shape.sequence,
  activity: shape.activity,
  protected_courses: shape.protectedCourses,
  webhooks: shape.webhooks,
});

const accountsFile = z.array(fileAccount, 'must be a list of accounts').min(1, 'must contain at least one account');

/**
 * Parses an accounts file: a JSON list of accounts. Throws a SettingsError of one line that names the file and the
 * field: `accounts.json: [1].seed: must be …`.
 */
export function parseAccountsFile(text: string, file: string): AccountOptions[] {
  const result = accountsFile.safeParse(parseJson(text, file));
  if (!result.success) throw new SettingsError(`${file}: ${firstIssue(result.error)}`);
  return result.data.map(({ api_keys, student_keys, rate_limit, protected_courses, ...same }) => ({
    ...same,
    apiKeys: api_keys,
    studentKeys: student_keys,
    rateLimit: rate_limit,
    protectedCourses: protected_courses,
  }));
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SettingsError(`${file}: is not JSON`);
  }
}

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
