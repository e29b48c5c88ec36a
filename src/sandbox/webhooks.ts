import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventName } from '../contract/events.ts';
import { deadline } from '../shared/deadline.ts';
import type { ResolvedOptions, WebhookSubscription } from './options.ts';

/** An event of the academy. The payload is already JSON, so later changes do not affect it. */
export interface WebhookEvent {
  name: EventName;
  payload: string;
}

const maxAttempts = 6;
/** Events that may wait for one target. Newer ones are dropped. */
const maxQueue = 1000;

type Settings = Pick<ResolvedOptions, 'webhookBackoffMs' | 'webhookTimeoutMs' | 'log'>;

/** Delivers to each target one event at a time, in order. A slow target delays no other. `signal` stops all deliveries. */
export function createWebhooks(all: readonly WebhookSubscription[], settings: Settings, signal: AbortSignal) {
  const queues = new Map(all.map(({ url }) => [url, createQueue(url, settings, signal)]));
  return (sent: WebhookEvent): void => {
    for (const { event, url } of all) if (event === sent.name) queues.get(url)?.(sent);
  };
}

function createQueue(url: string, { webhookBackoffMs, webhookTimeoutMs, log }: Settings, signal: AbortSignal) {
  const waiting: WebhookEvent[] = [];
  let isRunning = false;
  const drop = ({ name }: WebhookEvent, reason: string) => log(`webhook ${name} to ${url} dropped: ${reason}`);

  async function run(): Promise<void> {
    isRunning = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await deliver(next);
    isRunning = false;
  }

  async function deliver(event: WebhookEvent): Promise<void> {
    const id = randomUUID();
    let failure = '';
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const pause = webhookBackoffMs * 2 ** (attempt - 1);
      if (attempt > 0) await delay(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      failure = await post(event, id);
      if (failure === '') return;
    }
    drop(event, failure);
  }

  /** Posts an event once. Returns the reason of a failure, empty after a 2xx. Never throws. */
  async function post({ name, payload }: WebhookEvent, id: string): Promise<string> {
    const limit = deadline(webhookTimeoutMs, signal);
    const headers = { 'Content-Type': 'application/json', 'X-Webhook-Event': name, 'X-Webhook-Id': id };
    try {
      // A redirect counts as a failure: following it would turn the POST into a GET.
      const how = { method: 'POST', redirect: 'manual', headers, signal: limit.signal } as const;
      const response = await fetch(url, { ...how, body: payload });
      await response.body?.cancel();
      return response.ok ? '' : `status ${response.status}`;
    } catch (error) {
      return limit.timedOut() ? `no answer within ${webhookTimeoutMs} ms` : reasonOf(error);
    } finally {
      limit.end();
    }
  }

  return (event: WebhookEvent): void => {
    if (waiting.length < maxQueue) waiting.push(event);
    else drop(event, `${maxQueue} events are waiting`);
    if (!isRunning) void run();
  };
}

/** The message of fetch is only "fetch failed"; its cause has the reason. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
