import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { freePort } from './free-port.ts';
import { type HttpOptions, startHttp } from './http-server.ts';
import { start } from './sandbox.ts';
import { webhookSecret, webhooksTo } from './webhooks.ts';

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
