import type * as z from 'zod';
import type { EventName } from '../../contract/events.ts';
import { SettingsError } from '../../shared/errors.ts';
import { Problem } from '../handler.ts';
import { type Fault, faultSource, type KeyRole, keyRoles } from '../http/request-body.ts';
import type { Journal } from '../journal/journal.ts';
import type { accountOptions, ResolvedOptions, WebhookSubscription } from '../options.ts';
import type { Academy } from '../state/academy.ts';
import type { WebhookEvent, Webhooks } from '../webhooks.ts';

/** The settings of one account, with all defaults filled in. */
export interface AccountSettings {
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
export function runningClock(start: Date): () => Date {
  const offset = start.getTime() - performance.now();
  return () => new Date(offset + performance.now());
}

/**
 * Runs `work` with the academy's clock stopped at `time`: all timestamps of a write are identical, also when the journal
 * is replayed.
 */
export function withFrozenClock<Result>(academy: Academy, time: Date, work: () => Result): Result {
  const { clock } = academy;
  academy.clock = () => time;
  try {
    return work();
  } finally {
    academy.clock = clock;
  }
}
