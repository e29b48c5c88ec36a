import * as z from 'zod';
import { operations } from '../contract/index.ts';
import { SettingsError } from '../shared/errors.ts';
import { simulateActivity } from './activities.ts';
import { createAcademy } from './create-academy.ts';
import { definedFields, Problem } from './handler.ts';
import { callHandler } from './handlers/index.ts';
import type { JournalHeader, OpenedJournal } from './journal/journal.ts';
import { type AccountOptions, accountOptions, firstIssue, optionsObject, type ResolvedOptions } from './options.ts';
import { validateInput } from './parse-input.ts';
import { createRandom } from './seed/random.ts';
import type { Academy } from './state/academy.ts';
import { createWebhooks, type WebhookEvent } from './webhooks.ts';

/** API document: "Limits". Requests per minute. */
const limitOfPlan = { standard: 60, academy: 300 };

type ParsedAccountOptions = z.output<typeof accountOptions>;

/** The settings of one account, with all defaults filled in. */
type AccountSettings = { [Name in keyof ParsedAccountOptions]-?: NonNullable<ParsedAccountOptions[Name]> };

/** The accounts to run, in order: those listed, or one named "demo". Throws a SettingsError for a duplicate key or subdomain. */
export function accountSettings(options: ResolvedOptions): AccountSettings[] {
  const { apiKey, studentKey, accounts } = options;
  const entries = accounts ?? [{ subdomain: 'demo', apiKeys: [apiKey], studentKeys: [studentKey] }];
  refuseDuplicates(entries);
  return entries.map((account, index) => {
    const { plan = options.plan, subdomain, apiKeys, studentKeys } = account;
    // Accounts without a seed get consecutive ones, so their data differ.
    const own = { plan, rateLimit: options.rateLimit ?? limitOfPlan[plan], seed: options.seed + index };
    return { ...options, ...own, ...definedFields(account), subdomain, apiKeys, studentKeys };
  });
}

/** A subdomain belongs to one account, and a key to one user of one account. */
function refuseDuplicates(accounts: readonly ParsedAccountOptions[]): void {
  const owners = new Map<string, string>();
  for (const { subdomain, apiKeys, studentKeys } of accounts) {
    for (const name of [`subdomain ${subdomain}`, ...[...apiKeys, ...studentKeys].map((key) => `key ${key}`)]) {
      const owner = owners.get(name);
      if (owner !== undefined) {
        throw new SettingsError(`sandbox accounts: "${owner}" and "${subdomain}" have the same ${name.split(' ')[0]}`);
      }
      owners.set(name, subdomain);
    }
  }
}

/**
 * The rate limit of one account: at most `limit` requests in any window of `windowMs`, with all its keys together.
 * API document: "Limits". Returns the function that counts a request at a time (ms of a monotonic clock): 0 if it is allowed,
 * otherwise the whole seconds until the next one is. A 429 does not count, so waiting for Retry-After is always enough.
 */
export function createRateLimit(limit: number | 'off', windowMs: number): (now: number) => number {
  let accepted: number[] = [];
  return (now) => {
    if (limit === 'off') return 0;
    accepted = accepted.filter((time) => time > now - windowMs);
    const [oldest] = accepted;
    if (oldest !== undefined && accepted.length >= limit) {
      return Math.max(1, Math.ceil((oldest + windowMs - now) / 1000));
    }
    accepted.push(now);
    return 0;
  };
}

/** A status: an error before anything is done. `cut`: the work is done, then the connection closes: the client cannot know. */
export type Fault = 500 | 503 | 'cut' | undefined;

/** Draws a fault for each request. The share `rate` of them fails: the same ones for the same seed. */
export function faultSource(rate: number, seed: number): () => Fault {
  const random = createRandom('faults', seed);
  return () => {
    const [whether, which] = [random.next(), random.next()];
    if (whether >= rate) return undefined;
    if (which < 0.5) return 'cut';
    return which < 0.75 ? 500 : 503;
  };
}

/** The name of a simulated activity in a journal. It has no input. */
const activityName = 'activity';

/** What the accounts of a sandbox share. `signal` stops their webhook deliveries. */
interface Sharing {
  readonly options: ResolvedOptions;
  readonly opened: OpenedJournal | undefined;
  readonly signal: AbortSignal;
}

export type Account = ReturnType<typeof createAccount>;

/** One customer account: keys, rate limit and data. All changes of its data go through `write`. */
function createAccount(settings: AccountSettings, academy: Academy, { options, opened, signal }: Sharing) {
  const send = createWebhooks(settings.webhooks, options, signal);
  let events: WebhookEvent[] = [];

  /** First the state, then the journal, then the webhooks. If `work` throws, nothing is written to the journal. */
  async function write<Result>(operation: string, input: unknown, work: () => Result): Promise<Result> {
    if (opened?.journal.broken) throw new Problem(500, 'internal', 'The journal file cannot be written');
    const at = academy.now();
    events = [];
    const result = withFrozenClock(academy, at, work);
    const made = events;
    await opened?.journal.append({ at: at.toISOString(), account: settings.subdomain, operation, input });
    made.forEach(send);
    return result;
  }

  // Serialized at once: the payload may be a record that changes later.
  if (settings.webhooks.length > 0)
    academy.emit = (name, payload) => void events.push({ name, payload: JSON.stringify(payload()) });
  return {
    settings,
    academy,
    secondsToWait: createRateLimit(settings.rateLimit, options.windowMs),
    nextFault: faultSource(options.failRate, settings.seed),
    write,
    simulate: () => write(activityName, {}, () => simulateActivity(academy)),
  };
}

/** A clock that starts at `start` and advances with real time. Changes of the system clock do not affect it. */
function runningClock(start: number): () => Date {
  const offset = start - performance.now();
  return () => new Date(offset + performance.now());
}

/** All timestamps of a write are identical, also when the journal is replayed. */
function withFrozenClock<Result>(academy: Academy, time: Date, work: () => Result): Result {
  const { now } = academy;
  academy.now = () => time;
  try {
    return work();
  } finally {
    academy.now = now;
  }
}

/** Repeats the writes of a journal, each at its own time. Throws an Error that names the file and the line. */
function replay({ content, file }: OpenedJournal, seeded: readonly Pick<Account, 'settings' | 'academy'>[]): void {
  for (const { at, account, operation, input, line } of content.entries) {
    try {
      const academy = seeded.find(({ settings }) => settings.subdomain === account)?.academy;
      if (academy === undefined) throw new Error(`unknown account "${account}"`);
      withFrozenClock(academy, new Date(at), () => perform(operation, input, academy));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`--data ${file}, line ${line}: cannot be replayed: ${reason}`, { cause: error });
    }
  }
}

function perform(name: string, input: unknown, academy: Academy): unknown {
  if (name === activityName) return simulateActivity(academy);
  const operation = operations.find(({ id }) => id === name);
  if (operation === undefined) throw new Error(`unknown operation "${name}"`);
  return callHandler(operation, validateInput(operation, Object(input)), academy);
}

const { apiKeys: api_keys, studentKeys: student_keys, ...others } = accountOptions.shape;
const { rateLimit: rate_limit, protectedCourses: protected_courses, ...same } = others;

/** People write this file by hand, so it uses the snake case of the API. */
const fileAccount = optionsObject({ ...same, api_keys, student_keys, rate_limit, protected_courses });
const accountsFile = z.array(fileAccount, 'must be a list of accounts').min(1, 'must contain at least one account');

/** Throws a SettingsError of one line that names the file and the field: `accounts.json: [1].seed: must be …`. */
export function parseAccountsFile(text: string, file: string): AccountOptions[] {
  const result = accountsFile.safeParse(parseJson(text, file));
  if (!result.success) throw new SettingsError(`${file}: ${firstIssue(result.error)}`);
  return result.data.map(({ api_keys: apiKeys, student_keys: studentKeys, ...account }) => {
    const { rate_limit: rateLimit, protected_courses: protectedCourses, ...rest } = account;
    return { ...rest, apiKeys, studentKeys, rateLimit, protectedCourses };
  });
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SettingsError(`${file}: is not JSON`);
  }
}

/** Seeds the academies, replays the journal, and starts each clock at the start or the last write, whichever is later. */
export async function openAccounts(all: readonly AccountSettings[], sharing: Sharing): Promise<Account[]> {
  const { options, opened } = sharing;
  const start = options.now ?? new Date();
  const seeded: Pick<Account, 'settings' | 'academy'>[] = [];
  for (const settings of all) {
    const now = await dataTime(settings, start, opened);
    const { seed, students, orders, subdomain, plan, sequence } = settings;
    const academy = createAcademy({ seed, students, orders, subdomain, plan, sequence, now, protectedCourses: [] });
    seeded.push({ settings, academy });
  }
  if (opened !== undefined) replay(opened, seeded);
  return seeded.map(({ settings, academy }) => {
    const last = opened?.content.entries.findLast(({ account }) => account === settings.subdomain);
    academy.now = runningClock(Math.max(start.getTime(), last === undefined ? 0 : Date.parse(last.at)));
    // Only now: the journal may hold a reset from before the courses were protected.
    academy.settings = { ...academy.settings, protectedCourses: settings.protectedCourses };
    return createAccount(settings, academy, sharing);
  });
}

/** The newest time of the seeded data. With an existing journal, the time at which that was created. */
async function dataTime(settings: AccountSettings, start: Date, opened: OpenedJournal | undefined): Promise<Date> {
  if (opened === undefined) return start;
  const { subdomain: account, seed, students, orders, sequence } = settings;
  const header = opened.content.headers.find((header) => header.account === account);
  if (header !== undefined) {
    requireSameSeed(header, settings, opened.file);
    return new Date(header.now);
  }
  await opened.journal.append({ journal: 1, account, seed, students, orders, sequence, now: start.toISOString() });
  return start;
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
