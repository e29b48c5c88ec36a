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

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Delivers the events of one account: to each target one at a time, in order. A slow target delays no other. */
export function createWebhooks(subscriptions: readonly WebhookSubscription[], settings: WebhookSettings) {
  const queues = new Map(subscriptions.map(({ url }) => [url, createQueue(url, settings)]));
  return {
    send: (sent: WebhookEvent): void => {
      for (const { event, url } of subscriptions) if (event === sent.name) queues.get(url)?.(sent);
    },
  };
}

/** The function that adds an event for one target. */
function createQueue(url: string, settings: WebhookSettings) {
  const { backoffMs, signal, log } = settings;
  const waiting: WebhookEvent[] = [];
  let isRunning = false;
  const drop = ({ name }: WebhookEvent, reason: string) => log(`webhook ${name} to ${url} dropped: ${reason}`);

  async function run(): Promise<void> {
    isRunning = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await deliver(next);
    isRunning = false;
  }

  async function deliver(event: WebhookEvent): Promise<void> {
    const headers = { 'X-Webhook-Event': event.name, 'X-Webhook-Id': randomUUID() };
    let failure: string | undefined;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      if (attempt > 0) await delay(backoffMs * 2 ** (attempt - 1), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      failure = await postJson(url, event.payload, headers, settings);
      if (failure === undefined) return;
    }
    drop(event, failure ?? '');
  }

  return (event: WebhookEvent): void => {
    if (waiting.length < maxQueue) waiting.push(event);
    else drop(event, `${maxQueue} events are waiting`);
    if (!isRunning) void run();
  };
}

/** Posts JSON text once. Returns undefined after a 2xx, otherwise the reason of the failure. Never throws. */
async function postJson(
  url: string,
  json: string,
  headers: Record<string, string>,
  { timeoutMs, signal }: WebhookSettings,
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
