import { expect, test } from 'vitest';
import { eras } from '../support/eras.ts';
import { postEvent, startWithEvents, webhookSecret } from '../support/events.ts';
import { startHttp } from '../support/http-server.ts';
import { call } from '../support/sandbox.ts';

interface Row extends Record<string, unknown> {
  event: string;
  check: string;
}

const uri = 'academy://events/new_order';

for (const era of eras) {
  test(`${era.name} over HTTP watches for new orders and reads a verified one`, async () => {
    const { url, academy } = await startWithEvents();
    const client = await era.connect({ url });
    const updates: string[] = [];
    await client.watch(uri, (updated) => updates.push(updated));
    const { structuredContent: before } = await client.call('list_recent_events');
    await call(academy, 'POST', '/api/v1/student/enroll', { email: 'nora@example.net', name: 'Nora', course_id: 1 });
    await expect.poll(() => updates).toContain(uri);
    const newOrder = async () => {
      const { structuredContent: now } = await client.call('list_recent_events', { cursor: before?.new_cursor });
      return ((now?.events ?? []) as Row[]).find(({ event }) => event === 'new_order');
    };
    // On a busy machine the event may be announced before its check.
    await expect.poll(newOrder).toMatchObject({ check: 'verified', email: 'nora@example.net', granted: true });
    const { contents } = await client.read(uri);
    expect(contents[0]?.text).toContain('nora@example.net');
    expect(new Set(updates)).toEqual(new Set([uri]));
  });
}

const secret = { ACADEMY_WEBHOOK_SECRET: webhookSecret };

for (const era of eras) {
  test(`${era.name} sees the events only if their toolset is offered, and then that they can be watched`, async () => {
    const { url } = await startHttp(secret);
    const client = await era.connect({ url });
    expect(client.capabilities()?.resources).toEqual({ listChanged: false, subscribe: true });
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toContain('academy://events');
    expect(client.instructions()).toContain('list_recent_events');

    const limited = await startHttp({ ...secret, ACADEMY_TOOLSETS: 'orders,account' });
    const other = await era.connect({ url: limited.url });
    expect(other.capabilities()?.resources).toEqual({ listChanged: false });
    expect((await other.listTools()).tools.map(({ name }) => name)).not.toContain('list_recent_events');
    expect((await other.listResources()).resources.map(({ uri }) => uri)).toEqual(['academy://account']);
    expect(other.instructions()).not.toContain('list_recent_events');
  });

  test(`${era.name} hears nothing of other addresses than its own`, async () => {
    const { url, origin } = await startHttp(secret);
    const client = await era.connect({ url });
    const updates: string[] = [];
    const hear = (updated: string) => updates.push(updated);
    for (const other of ['academy://account', 'academy://other/events', 'academy://events/new_order/x']) {
      await client.watch(other, hear).catch(() => {});
    }
    await client.watch('academy://events/new_student', hear);
    await postEvent(origin, 'new_order', { id: 'forged1' });
    await postEvent(origin, 'new_student', { id: 7, name: 'Nora', email: 'nora@example.net' });
    await expect.poll(() => updates).toEqual(['academy://events/new_student']);
  });
}

test('an unknown address cannot be watched, and the refusal says why', async () => {
  const { url } = await startHttp(secret);
  const client = await eras[0]?.connect({ url });
  await expect(client?.watch('academy://account', () => {})).rejects.toThrow(
    /No updates of academy:\/\/account: clients can subscribe only to resources that change with events/,
  );
});

test('without sessions a client of 2025-11-25 cannot watch, but it can list events', async () => {
  const { url, origin } = await startHttp(secret, { stateless: true });
  const client = await eras[0]?.connect({ url });
  expect(client?.capabilities()?.resources).toEqual({ listChanged: false });
  await postEvent(origin, 'new_student', { id: 7, name: 'Nora', email: 'nora@example.net' });
  const answer = await client?.call('list_recent_events');
  expect(answer?.structuredContent?.events).toHaveLength(1);
});

test('a flood of events is not a flood of notifications', async () => {
  const { url, origin } = await startHttp(secret);
  const client = await eras[0]?.connect({ url });
  const updates: string[] = [];
  await client?.watch('academy://events', (updated) => updates.push(updated));
  const start = performance.now();
  for (let id = 1; id <= 200; id += 1) {
    await postEvent(origin, 'new_student', { id, name: 'Nora', email: `nora${id}@example.net` });
  }
  await expect.poll(() => updates.length).toBeGreaterThan(0);
  // A notification every 20 ms at most, since the pauses of this program are 50 times shorter.
  expect(updates.length).toBeLessThanOrEqual(Math.ceil((performance.now() - start) / 20) + 1);
});
