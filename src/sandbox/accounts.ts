import * as z from 'zod';
import type { EventName } from '../contract/events.ts';
import { operations } from '../contract/index.ts';
import { SettingsError } from '../shared/errors.ts';
import { activities } from './activities.ts';
import { createAcademy } from './create-academy.ts';
import { Problem } from './handler.ts';
import { callHandler } from './handlers/index.ts';
import { type Fault, faultSource, type KeyRole, keyRoles } from './http/request-body.ts';
import type { Journal, JournalHeader, NumberedEntry, OpenedJournal } from './journal/journal.ts';
import {
  type AccountOptions,
  accountOptions,
  firstIssue,
  optionsObject,
  type ResolvedOptions,
  type WebhookSubscription,
} from './options.ts';
import { validateInput } from './parse-input.ts';
import type { Academy } from './state/academy.ts';
import { type WebhookEvent, Webhooks } from './webhooks.ts';

/** The settings of one account, with all defaults filled in. */
interface AccountSettings {
  subdomain: string;
  apiKeys: readonly string[];
  studentKeys: readonly string[];
  plan: 'standard' | 'academy';
  rateLimit: number | 'off';
  seed: number;
  students: number;
  orders: number;
  sequence: 'absolute' | 'shift';
  activity: number;
  protectedCourses: number[];
  webhooks: WebhookSubscription[];
}

/** API document: "Limits". Requests per minute. */
const limitOfPlan = { standard: 60, academy: 300 };

type ParsedAccountOptions = z.output<typeof accountOptions>;

/** The accounts to run, in order: those listed, or one named "demo". Throws a SettingsError for a duplicate key or subdomain. */
export function accountSettings(options: ResolvedOptions): AccountSettings[] {
  const given = options.accounts ?? [onlyAccount(options)];
  refuseDuplicates(given);
  return given.map((account, index) => fillIn(account, options, index));
}

function onlyAccount({ apiKey, studentKey }: ResolvedOptions): ParsedAccountOptions {
  return { subdomain: 'demo', apiKeys: [apiKey], studentKeys: [studentKey] };
}

/** Accounts without a seed get consecutive ones, so their data differ. */
function fillIn(account: ParsedAccountOptions, options: ResolvedOptions, index: number): AccountSettings {
  const plan = account.plan ?? options.plan;
  return {
    subdomain: account.subdomain,
    apiKeys: account.apiKeys,
    studentKeys: account.studentKeys,
    plan,
    rateLimit: account.rateLimit ?? options.rateLimit ?? limitOfPlan[plan],
    seed: account.seed ?? options.seed + index,
    students: account.students ?? options.students,
    orders: account.orders ?? options.orders,
    sequence: account.sequence ?? options.sequence,
    activity: account.activity ?? options.activity,
    protectedCourses: account.protectedCourses ?? options.protectedCourses,
    webhooks: account.webhooks ?? options.webhooks,
  };
}

/** A key belongs to one user of one account; a subdomain to one account. */
function refuseDuplicates(accounts: readonly ParsedAccountOptions[]): void {
  const seen = new Map<string, string>();
  for (const { subdomain, apiKeys, studentKeys } of accounts) {
    const names = [`subdomain ${subdomain}`, ...[...apiKeys, ...studentKeys].map((key) => `key ${key}`)];
    for (const name of names) {
      const owner = seen.get(name);
      if (owner !== undefined) throw new SettingsError(duplicateMessage(name, subdomain, owner));
      seen.set(name, subdomain);
    }
  }
}

function duplicateMessage(name: string, subdomain: string, owner: string): string {
  if (name.startsWith('subdomain ')) return `sandbox accounts: subdomain "${subdomain}" is used twice`;
  return `sandbox accounts: "${subdomain}" and "${owner}" share a key; each key must be unique`;
}

interface AddressedAccount {
  account: Account;
  /** The path below the account's address. */
  segments: readonly string[];
}

/** All accounts of the server. Each is at `/<subdomain>`; the first is also at the root. */
export class Accounts {
  readonly first: Account;
  readonly all: readonly Account[];
  readonly #bySubdomain: ReadonlyMap<string, Account>;

  constructor(first: Account, others: readonly Account[]) {
    this.first = first;
    this.all = [first, ...others];
    this.#bySubdomain = new Map(this.all.map((account) => [account.settings.subdomain, account]));
  }

  find(segments: readonly string[]): AddressedAccount {
    const account = this.#bySubdomain.get(segments[0] ?? '');
    return account === undefined ? { account: this.first, segments } : { account, segments: segments.slice(1) };
  }
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

/** One customer account: keys, rate limit and data. All changes of its data go through `write`. */
export class Account {
  readonly settings: AccountSettings;
  readonly academy: Academy;
  readonly roles: ReadonlyMap<string, KeyRole>;
  readonly rateLimit: RateLimit;
  readonly nextFault: () => Fault;
  readonly #journal: Journal | undefined;
  readonly #webhooks: Webhooks;
  #events: WebhookEvent[] = [];

  constructor(settings: AccountSettings, { academy, journal, webhooks, windowMs, failRate }: AccountParts) {
    this.settings = settings;
    this.academy = academy;
    this.roles = keyRoles(settings.apiKeys, settings.studentKeys);
    this.rateLimit = new RateLimit(settings.rateLimit, windowMs);
    this.nextFault = faultSource(failRate, settings.seed);
    this.#journal = journal;
    this.#webhooks = webhooks;
    if (settings.webhooks.length > 0) academy.onEvent = (name, payload) => this.#recordEvent(name, payload);
  }

  /**
   * Performs a write: changes the state, appends it to the journal, then sends its webhooks. If `work` throws, nothing
   * is written to the journal.
   */
  async write<Result>(operation: string, input: unknown, work: () => Result): Promise<Result> {
    if (this.#journal?.broken) throw new Problem(500, 'internal', 'The journal file cannot be written');
    const at = this.academy.now();
    this.#events = [];
    const result = withFrozenClock(this.academy, at, work);
    const events = this.#events;
    const entry = { at: at.toISOString(), account: this.settings.subdomain, operation, input };
    await this.#journal?.append(entry);
    for (const event of events) this.#webhooks.send(event);
    return result;
  }

  /** Serializes at once: the payload may be a record that changes later. */
  #recordEvent(name: EventName, payload: unknown): void {
    this.#events.push({ name, payload: JSON.stringify(payload) });
  }
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
