import { renameSync } from 'node:fs';
import { appendFile, chmod, mkdir, readdir, readFile, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type EventFeedOptions, openEventFeed, openEventInbox } from '../../src/events/event-feed.ts';
import { openSegmentedFile } from '../../src/shared/segmented-file.ts';
import { listEvents, postEvent, webhookSecret } from '../support/events.ts';
import { startHttp } from '../support/http-server.ts';
import { temporaryFile } from '../support/sandbox.ts';

const student = (id: number) => ({ id, name: `Student ${id}`, email: `student${id}@example.net` });

function openInbox(options: Partial<EventFeedOptions> & { file: string }) {
  const inbox = openEventInbox({ account: 'default', pace: 0.02, ...options });
  onTestFinished(() => inbox.close());
  return inbox;
}

function openReader(file: string) {
  const feed = openEventFeed({ account: 'default', file, pace: 0.02 });
  onTestFinished(() => feed.close());
  return feed;
}

const keysOf = (feed: { events(): readonly { key: string }[] }) => feed.events().map(({ key }) => key);

test('an event and its check survive a restart of the server, and a second delivery is still a duplicate', async () => {
  const file = await temporaryFile('events.jsonl');
  const settings = { ACADEMY_WEBHOOK_SECRET: webhookSecret, ACADEMY_EVENTS_FILE: file };
  const first = await startHttp(settings);
  const { list } = await listEvents(first.url);
  await postEvent(first.origin, 'new_order', { id: 'forged1' });
  await postEvent(first.origin, 'new_student', student(1));
  await expect.poll(async () => (await list()).data.discarded).toBe(2);
  const { new_cursor: cursor } = (await list()).data;
  await first.drain();

  const second = await startHttp(settings);
  await postEvent(second.origin, 'new_student', student(1));
  await postEvent(second.origin, 'new_student', student(2));
  const again = await listEvents(second.url);
  const { rows, data } = await again.list({ cursor });
  expect(rows.map(({ untrusted }) => untrusted?.id)).toEqual([2]);
  expect(data.discarded).toBe(2);
});

test('a file that only its owner can read is made, in lines of JSON', async () => {
  const file = await temporaryFile('events.jsonl');
  const inbox = openInbox({ file });
  expect(await inbox.receive('new_student', student(1), 'k1')).toBe('stored');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: 'new_student', key: 'k1' }]);
});

test('a symbolic link, a folder, a file that others may change and a missing folder are refused', async () => {
  const file = await temporaryFile('events.jsonl');
  await writeFile(`${file}.target`, '');
  await symlink(`${file}.target`, file);
  const refusal = (path: string) => {
    for (const open of [() => openInbox({ file: path }), () => openReader(path)]) {
      expect(open).toThrow(/^ACADEMY_EVENTS_FILE /);
    }
  };
  refusal(file);
  await mkdir(`${file}.folder`);
  refusal(`${file}.folder`);
  await writeFile(`${file}.open`, '');
  await chmod(`${file}.open`, 0o666);
  refusal(`${file}.open`);
  refusal(`${file}.none/events.jsonl`);
});

test('a line that a crash cut is dropped, and the next event is whole', async () => {
  const file = await temporaryFile('events.jsonl');
  const first = openInbox({ file });
  await first.receive('new_student', student(1), 'k1');
  await first.close();
  const [line = ''] = (await readFile(file, 'utf8')).split('\n');
  await appendFile(file, line.replace('k1', 'k2').slice(0, -9));
  const second = openInbox({ file });
  expect(keysOf(second)).toEqual(['k1']);
  await second.receive('new_student', student(3), 'k3');
  expect(keysOf(second)).toEqual(['k1', 'k3']);
  expect(keysOf(openReader(file))).toEqual(['k1', 'k3']);
});

test('processes that share a file see the events of all, each once', async () => {
  const file = await temporaryFile('events.jsonl');
  const inboxes = [openInbox({ file }), openInbox({ file }), openInbox({ file })];
  const reader = openReader(file);
  const heard = new Set<string>();
  reader.subscribe((names) => {
    for (const name of names) heard.add(name);
  });
  await Promise.all(
    inboxes.flatMap((inbox, index) =>
      Array.from({ length: 20 }, (_, number) => inbox.receive('new_student', student(number), `k${index}-${number}`)),
    ),
  );
  const [one] = inboxes;
  expect(await one?.receive('new_student', student(5), 'k2-5')).toBe('duplicate');
  for (const feed of [...inboxes, reader]) {
    await expect.poll(() => new Set(keysOf(feed)).size).toBe(60);
    expect(feed.events()).toHaveLength(60);
  }
  expect(inboxes.map(keysOf)).toEqual(inboxes.map(() => keysOf(reader)));
  await expect.poll(() => [...heard]).toEqual(['new_student']);
});

test('a full file makes room for a new one, and only the newest files are kept', async () => {
  const file = await temporaryFile('events.jsonl');
  const reader = openReader(file);
  const writers = [
    openSegmentedFile(file, 'ACADEMY_EVENTS_FILE', 2_000),
    openSegmentedFile(file, 'ACADEMY_EVENTS_FILE', 2_000),
  ];
  for (const writer of writers) onTestFinished(() => writer.close());
  for (let number = 0; number < 100; number += 1) {
    const line = {
      id: `e${number}`,
      key: `k${number}`,
      receivedAt: number,
      claims: student(number),
    };
    await writers[number % 2]?.append({ ...line, event: 'new_student' });
    if (number % 5 === 0) await expect.poll(() => keysOf(reader).at(-1)).toBe(`k${number}`);
  }
  await expect.poll(() => keysOf(reader)).toHaveLength(100);
  const files = await readdir(dirname(file));
  expect(files).toHaveLength(4);
  for (const name of files) expect((await stat(`${dirname(file)}/${name}`)).size).toBeLessThanOrEqual(2_000);
  const keys = keysOf(openReader(file));
  expect(keys.length).toBeGreaterThan(20);
  expect(keys).toEqual(keysOf(reader).slice(-keys.length));
});

test('a reader goes on after the folder was away', async () => {
  const file = await temporaryFile('events.jsonl');
  const inbox = openInbox({ file });
  await inbox.receive('new_student', student(1), 'k1');
  const reader = openReader(file);
  renameSync(dirname(file), `${dirname(file)}.away`);
  // A few looks for new lines.
  await delay(100);
  renameSync(`${dirname(file)}.away`, dirname(file));
  await inbox.receive('new_student', student(2), 'k2');
  await expect.poll(() => keysOf(reader)).toEqual(['k1', 'k2']);
});

test('an event is a duplicate for 24 hours', async () => {
  const file = await temporaryFile('events.jsonl');
  let now = Date.parse('2026-03-01T00:00:00Z');
  const inbox = openInbox({ file, now: () => now });
  const receive = () => inbox.receive('course_completed', { ...student(1), course_id: 1 }, 'k1');
  expect([await receive(), await receive()]).toEqual(['stored', 'duplicate']);
  now += 24 * 60 * 60_000;
  expect([await receive(), await receive()]).toEqual(['stored', 'duplicate']);
});

test('an event that cannot be stored is not accepted, and readyz says so', async () => {
  const file = await temporaryFile('events.jsonl');
  const { origin } = await startHttp({ ACADEMY_WEBHOOK_SECRET: webhookSecret, ACADEMY_EVENTS_FILE: file });
  const readiness = async () => await (await fetch(`${origin}/readyz`)).json();
  expect(await readiness()).toEqual({ ready: true, events: 'received' });
  await rm(file);
  await mkdir(file);
  const answer = await postEvent(origin, 'new_student', student(1));
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await readiness()).toEqual({ ready: true, events: 'cannot be stored, and the log says why' });
  await rmdir(file);
  expect((await postEvent(origin, 'new_student', student(1))).status).toBe(202);
  expect(await readiness()).toEqual({ ready: true, events: 'received' });
});
