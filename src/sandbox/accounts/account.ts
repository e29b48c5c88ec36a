import type { EventName } from '../../contract/events.ts';
import { withFrozenClock } from '../clock.ts';
import { Problem } from '../error-response.ts';
import { type KeyRole, keyRoles } from '../http/authenticate.ts';
import { type Fault, faultSource } from '../http/faults.ts';
import type { Journal } from '../journal/journal.ts';
import type { Academy } from '../state/academy.ts';
import type { WebhookEvent, Webhooks } from '../webhooks.ts';
import type { AccountSettings } from './account-settings.ts';

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
