import { expect } from 'vitest';
import { eventNames } from '../../src/contract/events.ts';
import { webhookPath } from '../../src/events/webhooks.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { eras } from './eras.ts';
import { type HttpOptions, startHttp } from './http-server.ts';
import { freePort } from './listen.ts';
import { start } from './sandbox.ts';

/** The server with webhooks and, on the other side, an academy that posts all its events to it. */
export async function startWithEvents(
  settings: Record<string, string> = {},
  { sandbox: options, ...more }: HttpOptions & { sandbox?: SandboxOptions } = {},
) {
  const port = await freePort();
  const academy = await start({ webhooks: webhooksTo(port), webhookBackoffMs: 20, ...options });
  const environment = { ACADEMY_WEBHOOK_SECRET: webhookSecret, ...settings };
  const server = await startHttp(environment, { port, baseUrl: academy.url, ...more });
  return { ...server, port, academy };
}

/** 256 bits, as `openssl rand -hex 32` makes them. */
export const webhookSecret = '5f0c'.repeat(16);

/** The webhooks that a person would set up on the platform. */
export function webhooksTo(port: number, secret = webhookSecret) {
  const origin = `http://127.0.0.1:${port}`;
  return eventNames.map((event) => ({ event, url: `${origin}${webhookPath('default', event, secret)}` }));
}

/** What a sender does: posts an event to its address. */
export async function postEvent(
  origin: string,
  event: string,
  body: unknown,
  { secret = webhookSecret, account = 'default', headers = {} }: PostOptions = {},
): Promise<Response> {
  const text = typeof body === 'string' || body instanceof ReadableStream ? body : JSON.stringify(body);
  return await fetch(`${origin}/webhooks/${account}/${event}/${secret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit);
}

/** Does this many posts, fifty at a time, and returns what they answered. */
export async function inBatches<Answer>(count: number, post: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let start = 0; start < count; start += 50) {
    answers.push(...(await Promise.all(Array.from({ length: 50 }, (_, index) => post(start + index)))));
  }
  return answers;
}

interface PostOptions {
  secret?: string;
  account?: string;
  headers?: Record<string, string>;
}

export interface EventRow extends Record<string, unknown> {
  event: string;
  check: string;
  received_at: string;
  untrusted?: Record<string, unknown>;
}

/** A client of 2025-11-25 over HTTP that lists events. */
export async function listEvents(url: string) {
  const client = await eras[0]?.connect({ url });
  if (client === undefined) throw new Error('there is no client');
  const list = async (args: Record<string, unknown> = {}) => {
    const { content, structuredContent: data = {}, isError } = await client.call('list_recent_events', args);
    const text = content[0]?.text ?? '';
    expect(isError, text).not.toBe(true);
    return { text, data, rows: (data.events ?? []) as EventRow[] };
  };
  return { client, list };
}
