import type { EventName } from '../../contract/events.ts';
import { withFrozenClock } from '../clock.ts';
import { type KeyRole, keyRoles } from '../http/authenticate.ts';
import { type Fault, faultSource } from '../http/faults.ts';
import { RateLimit } from '../http/rate-limit.ts';
import type { Journal } from '../journal/journal.ts';
import { Problem } from '../problem.ts';
import type { Academy } from '../state/academy.ts';
import type { WebhookEvent, Webhooks } from '../webhooks.ts';
import type { AccountSettings } from './account-settings.ts';

export interface AccountParts {
  academy: Academy;
  journal: Journal | undefined;
  webhooks: Webhooks;
  windowMs: number;
  failRate: number;
}

/** One customer account: its keys, limit and data, and the one way in which its data change. */
export class Account {
  readonly settings: AccountSettings;
  readonly academy: Academy;
  readonly roles: ReadonlyMap<string, KeyRole>;
  readonly rateLimit: RateLimit;
  readonly nextFault: () => Fault;
  readonly #journal: Journal | undefined;
  readonly #webhooks: Webhooks;
  #happened: WebhookEvent[] = [];

  constructor(settings: AccountSettings, { academy, journal, webhooks, windowMs, failRate }: AccountParts) {
    this.settings = settings;
    this.academy = academy;
    this.roles = keyRoles(settings.apiKeys, settings.studentKeys);
    this.rateLimit = new RateLimit(settings.rateLimit, windowMs);
    this.nextFault = faultSource(failRate, settings.seed);
    this.#journal = journal;
    this.#webhooks = webhooks;
    if (settings.webhooks.length > 0) academy.onEvent = (event, payload) => this.#note(event, payload);
  }

  /**
   * Does a write: changes the state, puts it on disk, then lets its events out. Throws what `work` throws; then
   * nothing is journalled.
   */
  async write<Result>(operation: string, input: unknown, work: () => Result): Promise<Result> {
    if (this.#journal?.broken) throw new Problem(500, 'internal', 'The journal file cannot be written');
    const at = this.academy.now();
    this.#happened = [];
    const result = withFrozenClock(this.academy, at, work);
    const happened = this.#happened;
    const entry = { at: at.toISOString(), account: this.settings.subdomain, operation, input };
    await this.#journal?.append(entry);
    for (const event of happened) this.#webhooks.send(event);
    return result;
  }

  /** As text at once: the payload may be a record that changes later. */
  #note(event: EventName, payload: unknown): void {
    this.#happened.push({ event, payload: JSON.stringify(payload) });
  }
}
