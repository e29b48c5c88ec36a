import { expect, test } from 'vitest';
import { eras } from '../support/eras.ts';
import { startWithEvents } from '../support/events.ts';
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
    const { structuredContent: now } = await client.call('list_recent_events', { cursor: before?.new_cursor });
    const rows = now?.events as Row[];
    const order = rows.find(({ event }) => event === 'new_order');
    expect(order).toMatchObject({ check: 'verified', email: 'nora@example.net', amount: '0.00', granted: true });
    const { contents } = await client.read(uri);
    expect(contents[0]?.text).toContain('nora@example.net');
    expect(new Set(updates)).toEqual(new Set([uri]));
  });
}
