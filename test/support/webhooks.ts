import { createServer } from 'node:net';
import { eventNames } from '../../src/contract/events.ts';
import { webhookPath } from '../../src/events/webhooks.ts';

/** 256 bits, as `openssl rand -hex 32` makes them. */
export const webhookSecret = '5f0c'.repeat(16);

/** A port that is free now: the academy must know the server's address before the server starts, and the other way round. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('there is no free port');
  return address.port;
}

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
