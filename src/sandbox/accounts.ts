import * as z from 'zod';
import { operations } from '../contract/index.ts';
import { SettingsError } from '../shared/errors.ts';
import { activities } from './activities.ts';
import { createAcademy } from './create-academy.ts';
import { definedFields, Problem } from './handler.ts';
import { callHandler } from './handlers/index.ts';
import { faultSource, keyRoles } from './http/request-body.ts';
import type { Journal, JournalHeader, NumberedEntry, OpenedJournal } from './journal/journal.ts';
import { type AccountOptions, accountOptions, firstIssue, optionsObject, type ResolvedOptions } from './options.ts';
import { validateInput } from './parse-input.ts';
import type { Academy } from './state/academy.ts';
import { createWebhooks, type WebhookEvent, type Webhooks } from './webhooks.ts';

/** API document: "Limits". Requests per minute. */
const limitOfPlan = { standard: 60, academy: 300 };

type ParsedAccountOptions = z.output<typeof accountOptions>;

/** The settings of one account, with all defaults filled in. */
type AccountSettings = { [Name in keyof ParsedAccountOptions]-?: NonNullable<ParsedAccountOptions[Name]> };

/** The accounts to run, in order: those listed, or one named "demo". Throws a SettingsError for a duplicate key or subdomain. */
export function accountSettings(options: ResolvedOptions): AccountSettings[] {
  const { apiKey, studentKey, accounts } = options;
  const given = accounts ?? [{ subdomain: 'demo', apiKeys: [apiKey], studentKeys: [studentKey] }];
  refuseDuplicates(given);
  return given.map((account, index) => fillIn(account, options, index));
}

/** Accounts without a seed get consecutive ones, so their data differ. */
function fillIn(account: ParsedAccountOptions, options: ResolvedOptions, index: number): AccountSettings {
  const { students, orders, sequence, activity, protectedCourses, webhooks } = options;
  const plan = account.plan ?? options.plan;
  const rateLimit = options.rateLimit ?? limitOfPlan[plan];
  const seed = options.seed + index;
  const defaults = { plan, rateLimit, seed, students, orders, sequence, activity, protectedCourses, webhooks };
  const { subdomain, apiKeys, studentKeys } = account;
  return { ...defaults, ...definedFields(account), subdomain, apiKeys, studentKeys };
}

/** A key belongs to one user of one account; a subdomain to one account. */
function refuseDuplicates(accounts: readonly ParsedAccountOptions[]): void {
  const seen = new Map<string, string>();
  for (const { subdomain, apiKeys, studentKeys } of accounts) {
    const names = [`subdomain ${subdomain}`, ...[...apiKeys, ...studentKeys].map((key) => `key ${key}`)];
    for (const name of names) {
      const owner = seen.get(name);
      if (owner !== undefined) throw duplicate(name, subdomain, owner);
      seen.set(name, subdomain);
    }
  }
}

function duplicate(name: string, subdomain: string, owner: string): SettingsError {
  const isName = name.startsWith('subdomain ');
  const problem = isName
    ? `subdomain "${subdomain}" is used twice`
    : `"${subdomain}" and "${owner}" share a key; each key must be unique`;
  return new SettingsError(`sandbox accounts: ${problem}`);
}

export type Accounts = ReturnType<typeof accountsAt>;

/** All accounts of the server. Each is at `/<subdomain>`; the first is also at the root. */
function accountsAt(first: Account, others: readonly Account[]) {
  const all: readonly Account[] = [first, ...others];
  return {
    first,
    all,
    /** The account of an address, and the path below it. */
    find: (segments: readonly string[]) => {
      const account = all.find(({ settings }) => settings.subdomain === segments[0]);
      return account === undefined ? { account: first, segments } : { account, segments: segments.slice(1) };
    },
  };
}

/**
 * The rate limit of one account: at most `limit` requests in any window of `windowMs`, with all its keys together.
 * API document: "Limits". A 429 does not count, so waiting for Retry-After is always enough.
 */
export class RateLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #accepted: number[] = [];

  constructor(limit: number | 'off', windowMs: number) {
    this.#limit = limit === 'off' ? Number.POSITIVE_INFINITY : limit;
    this.#windowMs = windowMs;
  }

  /**
   * Counts a request at `now` (ms of a monotonic clock). Returns 0 if it is allowed, otherwise the whole seconds until the
   * next one is.
   */
  take(now: number): number {
    if (this.#limit === Number.POSITIVE_INFINITY) return 0;
    this.#forget(now - this.#windowMs);
    const [oldest] = this.#accepted;
    if (oldest !== undefined && this.#accepted.length >= this.#limit) {
      return Math.max(1, Math.ceil((oldest + this.#windowMs - now) / 1000));
    }
    this.#accepted.push(now);
    return 0;
  }

  #forget(before: number): void {
    const first = this.#accepted.findIndex((time) => time > before);
    this.#accepted.splice(0, first === -1 ? this.#accepted.length : first);
  }
}

interface AccountParts {
  academy: Academy;
  journal: Journal | undefined;
  webhooks: Webhooks;
  windowMs: number;
  failRate: number;
}

export type Account = ReturnType<typeof createAccount>;

/** One customer account: keys, rate limit and data. All changes of its data go through `write`. */
function createAccount(settings: AccountSettings, { academy, journal, webhooks, windowMs, failRate }: AccountParts) {
  let events: WebhookEvent[] = [];
  // Serialized at once: the payload may be a record that changes later.
  if (settings.webhooks.length > 0)
    academy.onEvent = (name, payload) => void events.push({ name, payload: JSON.stringify(payload) });
  return {
    settings,
    academy,
    roles: keyRoles(settings.apiKeys, settings.studentKeys),
    rateLimit: new RateLimit(settings.rateLimit, windowMs),
    nextFault: faultSource(failRate, settings.seed),
    /**
     * Performs a write: changes the state, appends it to the journal, then sends its webhooks. If `work` throws, nothing
     * is written to the journal.
     */
    write: async <Result>(operation: string, input: unknown, work: () => Result): Promise<Result> => {
      if (journal?.broken) throw new Problem(500, 'internal', 'The journal file cannot be written');
      const at = academy.now();
      events = [];
      const result = withFrozenClock(academy, at, work);
      const made = events;
      await journal?.append({ at: at.toISOString(), account: settings.subdomain, operation, input });
      for (const event of made) webhooks.send(event);
      return result;
    },
  };
}

/** A clock that starts at `start` and advances with real time. Changes of the system clock do not affect it. */
function runningClock(start: Date): () => Date {
  const offset = start.getTime() - performance.now();
  return () => new Date(offset + performance.now());
}

/**
 * Runs `work` with the academy's clock stopped at `time`: all timestamps of a write are identical, also when the journal
 * is replayed.
 */
function withFrozenClock<Result>(academy: Academy, time: Date, work: () => Result): Result {
  const { clock } = academy;
  academy.clock = () => time;
  try {
    return work();
  } finally {
    academy.clock = clock;
  }
}

const activityPrefix = 'activity.';

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
    const webhooks = createWebhooks(account.webhooks, { backoffMs, timeoutMs, signal, log });
    return createAccount(account, { academy, journal: opened?.journal, webhooks, windowMs, failRate });
  });
  if (first === undefined) throw new Error('a sandbox needs at least one account');
  return accountsAt(first, others);
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
