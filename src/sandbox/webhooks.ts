import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventName } from '../contract/events.ts';
import type { WebhookSubscription } from './options.ts';

interface WebhookSettings {
  /** Pause before the second attempt, in ms. Doubles with each further one. */
  backoffMs: number;
  timeoutMs: number;
  /** Stops all deliveries. */
  signal: AbortSignal;
  log: (line: string) => void;
}

/** An event of the academy. The payload is already JSON, so later changes do not affect it. */
export interface WebhookEvent {
  name: EventName;
  payload: string;
}

const maxAttempts = 6;
/** Events that may wait for one target. Newer ones are dropped. */
const maxQueue = 1000;

/** Delivers the events of one account: to each target one at a time, in order. A slow target delays no other. */
export class Webhooks {
  readonly #subscriptions: readonly WebhookSubscription[];
  readonly #queues: ReadonlyMap<string, TargetQueue>;

  constructor(subscriptions: readonly WebhookSubscription[], settings: WebhookSettings) {
    this.#subscriptions = subscriptions;
    this.#queues = new Map(subscriptions.map(({ url }) => [url, new TargetQueue(url, settings)]));
  }

  send(sent: WebhookEvent): void {
    for (const { event, url } of this.#subscriptions) {
      if (event === sent.name) this.#queues.get(url)?.add(sent);
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

  add(event: WebhookEvent): void {
    if (this.#waiting.length >= maxQueue) {
      this.#drop(event, `${maxQueue} events are waiting`);
      return;
    }
    this.#waiting.push(event);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#deliver(next);
    this.#running = false;
  }

  async #deliver(event: WebhookEvent): Promise<void> {
    const { backoffMs, signal } = this.#settings;
    const headers = { 'X-Webhook-Event': event.name, 'X-Webhook-Id': randomUUID() };
    let failure: string | undefined;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      if (attempt > 0) await delay(backoffMs * 2 ** (attempt - 1), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      failure = await postJson(this.#url, event.payload, headers, this.#settings);
      if (failure === undefined) return;
    }
    this.#drop(event, failure ?? '');
  }

  #drop({ name }: WebhookEvent, reason: string): void {
    this.#settings.log(`webhook ${name} to ${this.#url} dropped: ${reason}`);
  }
}

interface PostLimits {
  timeoutMs: number;
  signal: AbortSignal;
}

/** Posts JSON text once. Returns undefined after a 2xx, otherwise the reason of the failure. Never throws. */
async function postJson(
  url: string,
  json: string,
  headers: Record<string, string>,
  { timeoutMs, signal }: PostLimits,
): Promise<string | undefined> {
  const attempt = new AbortController();
  const stop = () => attempt.abort(new Error('stopped'));
  const timer = setTimeout(() => attempt.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await post(url, { body: json, headers, signal: attempt.signal });
  } catch (error) {
    return reasonOf(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

async function post(url: string, request: RequestInit): Promise<string | undefined> {
  const headers = { 'Content-Type': 'application/json', ...request.headers };
  // A redirect counts as a failure: following it would turn the POST into a GET.
  const response = await fetch(url, { ...request, method: 'POST', redirect: 'manual', headers });
  await response.body?.cancel();
  return response.ok ? undefined : `status ${response.status}`;
}

/** The message of fetch is only "fetch failed"; its cause has the reason. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
