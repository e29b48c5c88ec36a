import { expect, onTestFinished, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { postEvent, webhookSecret } from '../support/events.ts';
import { initialize, post } from '../support/http-server.ts';
import { start as startSandbox, temporaryFile } from '../support/sandbox.ts';
import { startRedis } from './start-redis.ts';
import { authorization, startReplica } from './start-replica.ts';

const uri = 'academy://events/new_order';

/** Two replicas on one machine, which share Redis and the events file. */
async function startTwo(options: SandboxOptions, settings: Record<string, string> = {}) {
  const redis = await startRedis();
  const sandbox = await startSandbox({ orders: 60, ...options });
  const file = await temporaryFile('events.jsonl');
  const events = { ACADEMY_WEBHOOK_SECRET: webhookSecret, ACADEMY_EVENTS_FILE: file, ...settings };
  const start = () => startReplica(redis.url, sandbox.url, sandbox.apiKey, events);
  const replicas = [await start(), await start()] as const;
  return { replicas };
}

/** A session with a stream. */
async function openListening(first: Awaited<ReturnType<typeof startTwo>>['replicas'][number]) {
  const opened = await post(first.url, initialize, { authorization });
  const headers = { authorization, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const send = async (method: string, params: object) =>
    await post(first.url, { jsonrpc: '2.0', id: method, method, params }, headers);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const heard: string[] = [];
  const stream = await fetch(first.url, { headers: { ...headers, accept: 'text/event-stream' }, signal: stop.signal });
  const listen = async () => {
    for await (const chunk of stream.body ?? []) heard.push(Buffer.from(chunk).toString());
  };
  listen().catch(() => {});
  return { send, updates: () => heard.join('').split('notifications/resources/updated').length - 1 };
}

test('a client that has subscribed hears of events, whatever replica received them', async () => {
  const { replicas } = await startTwo({});
  const { send, updates } = await openListening(replicas[0]);
  expect((await send('resources/subscribe', { uri })).json.result).toEqual({});
  await postEvent(replicas[1].origin, 'new_order', { id: 'none-1' });
  await expect.poll(updates, { timeout: 10_000 }).toBe(1);

  expect((await send('resources/unsubscribe', { uri })).json.result).toEqual({});
  const { send: sendOther, updates: otherUpdates } = await openListening(replicas[0]);
  await sendOther('resources/subscribe', { uri });
  await postEvent(replicas[1].origin, 'new_order', { id: 'none-2' });
  await expect.poll(otherUpdates, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(updates()).toBe(1);
});

test('the checks of all replicas together use at most a tenth of the limit', async () => {
  // The pauses of the program are 50 times shorter, and so is the minute of this academy. Each replica alone would send 5.
  const { replicas } = await startTwo({ rateLimit: 8, windowMs: 1_200 }, { ACADEMY_RATE_LIMIT: '60' });
  for (let sent = 0; sent < 200; sent += 1) {
    await postEvent(replicas[sent % 2 === 0 ? 0 : 1].origin, 'new_order', { id: `forged${sent}` });
  }
  const samples = async () => {
    const read = replicas.map(({ origin }) => fetch(`${origin}/metrics`, { headers: { authorization } }));
    return (await Promise.all((await Promise.all(read)).map((answer) => answer.text()))).join('\n');
  };
  const requests = async () => {
    const lines = (await samples()).split('\n').filter((line) => line.startsWith('academy_mcp_api_requests_total'));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  await expect.poll(requests, { timeout: 20_000 }).toBeGreaterThan(11);
  expect(await samples()).not.toContain('status="429"');
});
