import { expect, test } from 'vitest';
import { listEvents, postEvent, webhookSecret } from '../support/events.ts';
import { startHttp } from '../support/http-server.ts';
import { closedUrl } from '../support/recorder.ts';

const order = (number: number, more = {}) => ({
  id: `order${number}`,
  user_email: `buyer${number % 2}@example.net`,
  amount: '49.00',
  created_at: '2026-03-01T00:00:00Z',
  courses: [{ id: number % 3, title: `Course number ${number % 3}` }],
  ...more,
});

/** The server has no academy, so that every event stays as it was received. */
async function startWithOrders(count: number) {
  const settings = {
    ACADEMY_WEBHOOK_SECRET: webhookSecret,
    ACADEMY_CONFIRM_SECRET: 'a secret that signs these cursors',
  };
  const server = await startHttp(settings, { baseUrl: (await closedUrl()).replace('/hook', '') });
  const { list, client } = await listEvents(server.url);
  for (let number = 1; number <= count; number += 1) await postEvent(server.origin, 'new_order', order(number));
  const ids = async (args: Record<string, unknown> = {}) =>
    (await list(args)).rows.map(({ untrusted }) => untrusted?.id);
  return { ...server, client, list, ids };
}

test('without arguments the newest events come first, and say since when they are kept', async () => {
  const { list } = await startWithOrders(3);
  const { rows, data, text } = await list();
  expect(rows.map(({ untrusted }) => untrusted?.id)).toEqual(['order3', 'order2', 'order1']);
  expect(data.kept_since).toBe(rows.at(-1)?.received_at);
  expect(data.note).toContain('kept in memory');
  expect(data).not.toHaveProperty('next_cursor');
  expect(text).toMatch(/^3 events, the newest first: 0 verified/);
});

test('next_cursor leads to older events, each once, while new ones arrive', async () => {
  const { list, origin } = await startWithOrders(7);
  const seen: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < 4; page += 1) {
    const { rows, data } = await list({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...rows.map(({ untrusted }) => untrusted?.id));
    await postEvent(origin, 'new_order', order(100 + page));
    cursor = data.next_cursor;
    expect(String(data.new_cursor).length).toBeLessThanOrEqual(120);
    if (cursor === undefined) break;
    expect(String(cursor).length).toBeLessThanOrEqual(120);
  }
  expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((number) => `order${number}`));
});

test('new_cursor leads to the events that have arrived since, each once and in their order', async () => {
  const { list, origin } = await startWithOrders(2);
  let { new_cursor: cursor } = (await list({ limit: 1 })).data;
  expect((await list({ cursor })).text).toMatch(/^No new events\./);
  for (const number of [3, 4, 5]) await postEvent(origin, 'new_order', order(number));
  const seen: unknown[] = [];
  for (let call = 0; call < 3; call += 1) {
    const { rows, data } = await list({ limit: 2, cursor });
    seen.push(...rows.map(({ untrusted }) => untrusted?.id));
    cursor = data.new_cursor;
  }
  expect(seen).toEqual(['order3', 'order4', 'order5']);
});

test('a new_cursor from before the first event leads to it', async () => {
  const { list, origin } = await startWithOrders(0);
  const { data, text } = await list();
  expect(text).toMatch(/^No events\./);
  await postEvent(origin, 'new_order', order(1));
  expect((await list({ cursor: data.new_cursor })).rows).toHaveLength(1);
});

test('a cursor of other arguments, and one that is made up, are refused', async () => {
  const { list, client } = await startWithOrders(3);
  const { next_cursor: cursor } = (await list({ limit: 1 })).data;
  const refusal = async (args: Record<string, unknown>) => {
    const { isError, content } = await client.call('list_recent_events', args);
    expect(isError).toBe(true);
    return content[0]?.text;
  };
  expect(await refusal({ cursor, event: 'new_order' })).toMatch(/^invalid_input: cursor belongs to another tool/);
  expect(await refusal({ cursor: 'AAAA' })).toMatch(/^invalid_input: cursor is not one that this tool issued/);
});

test('events are chosen by kind, time, email and product', async () => {
  const { ids, list, origin } = await startWithOrders(4);
  await postEvent(origin, 'course_completed', {
    id: 9,
    name: 'Nora',
    email: 'nora@example.net',
    course: 'Watercolour',
    course_id: 12,
  });
  expect(await ids({ event: 'course_completed' })).toEqual([9]);
  expect(await ids({ email: 'BUYER0@example.net' })).toEqual(['order4', 'order2']);
  expect(await ids({ product: 'course 1' })).toEqual(['order4', 'order1']);
  expect(await ids({ product: 'number 2' })).toEqual(['order2']);
  expect(await ids({ product: 'watercolour' })).toEqual([9]);
  expect(await ids({ product: 'course 12' })).toEqual([9]);
  expect(await ids({ event: 'new_order', product: 'watercolour' })).toEqual([]);
  const { rows } = await list({ event: 'new_order', limit: 2 });
  expect(await ids({ event: 'new_order', since: rows.at(-1)?.received_at })).toEqual(['order4', 'order3']);
  expect(await ids({ since: '2999-01-01' })).toEqual([]);
});

test('a long answer is cut at an event, and its cursors go on from there', async () => {
  const { list, origin } = await startWithOrders(0);
  const answer = 'I learned a lot. '.repeat(100);
  for (let id = 1; id <= 60; id += 1) {
    const text = `${id} ${answer}`;
    await postEvent(origin, 'new_answer', {
      id,
      name: 'Nora',
      email: 'nora@example.net',
      answer: text,
      question: 'Why?',
    });
  }
  const seen: unknown[] = [];
  let cursor: unknown;
  do {
    const { rows, data } = await list({ limit: 60, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...rows.map(({ untrusted }) => untrusted?.id));
    cursor = data.next_cursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => 60 - index));
});
