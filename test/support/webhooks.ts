import { eventNames } from '../../src/contract/events.ts';
import { webhookPath } from '../../src/events/webhooks.ts';

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

interface PostOptions {
  secret?: string;
  account?: string;
  headers?: Record<string, string>;
}
