import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventName } from '../contract/events.ts';
import type { WebhookSubscription } from './options.ts';
import { postJson } from './post-json.ts';

export interface WebhookSettings {
  /** Pause before the second try, in ms; doubles with each further one. */
  backoffMs: number;
  timeoutMs: number;
  /** Ends all deliveries. */
  signal: AbortSignal;
  log: (line: string) => void;
}

/** An event of the academy, its payload already JSON: later changes do not reach it. */
export interface WebhookEvent {
  event: EventName;
  payload: string;
}

const maxTries = 6;
/** What may wait for one target; the newest beyond it are dropped. */
const maxQueue = 1000;

/**
 * Delivers the events of one account: to each target one after the other, in the order of the events, and
 * never in anybody's way.
 */
export class Webhooks {
  readonly #subscriptions: readonly WebhookSubscription[];
  readonly #queues: ReadonlyMap<string, TargetQueue>;

  constructor(subscriptions: readonly WebhookSubscription[], settings: WebhookSettings) {
    this.#subscriptions = subscriptions;
    this.#queues = new Map(subscriptions.map(({ url }) => [url, new TargetQueue(url, settings)]));
  }

  send(happened: WebhookEvent): void {
    for (const { event, url } of this.#subscriptions) {
      if (event === happened.event) this.#queues.get(url)?.add(happened);
    }
  }
}

class TargetQueue {
  readonly #url: string;
  readonly #settings: WebhookSettings;
  readonly #waiting: WebhookEvent[] = [];
  #running = false;

  constructor(url: string, settings: WebhookSettings) {
    this.#url = url;
    this.#settings = settings;
  }

  add(happened: WebhookEvent): void {
    if (this.#waiting.length >= maxQueue) {
      this.#giveUp(happened, `${maxQueue} others are waiting`);
      return;
    }
    this.#waiting.push(happened);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#deliver(next);
    this.#running = false;
  }

  async #deliver(happened: WebhookEvent): Promise<void> {
    const { backoffMs, signal } = this.#settings;
    const headers = { 'X-Webhook-Event': happened.event, 'X-Webhook-Id': randomUUID() };
    let failure: string | undefined;
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (tries > 0) await delay(backoffMs * 2 ** (tries - 1), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      failure = await postJson(this.#url, happened.payload, headers, this.#settings);
      if (failure === undefined) return;
    }
    this.#giveUp(happened, failure ?? '');
  }

  #giveUp({ event }: WebhookEvent, reason: string): void {
    this.#settings.log(`webhook ${event} to ${this.#url} dropped: ${reason}`);
  }
}
