import { expect, test } from 'vitest';
import { openEventInbox } from '../../src/events/event-inbox.ts';
import { catalog } from '../../tools/catalog.ts';
import { connect } from '../support/connect.ts';
import { currentSnapshots, storedSnapshots } from '../support/snapshots.ts';

const howTo = 'npm run snap writes the snapshots anew; the diff is then reviewed';

test('every tool has a snapshot and every snapshot its tool', async () => {
  const stored = await storedSnapshots();
  expect([...stored.keys()].sort(), howTo).toEqual([...currentSnapshots().keys()].sort());
});

test('each snapshot is the tool as it is listed', async () => {
  const stored = await storedSnapshots();
  for (const [name, text] of currentSnapshots()) expect(stored.get(name), `${name}: ${howTo}`).toBe(text);
});

test('a client is shown what the snapshots say', async () => {
  const events = openEventInbox({ account: 'default' });
  const options = { offered: catalog.tools, events };
  const { client } = await connect(
    { ACADEMY_BASE_URL: 'https://academy.example.com', ACADEMY_JOURNAL: 'memory' },
    options,
  );
  const listed = (await client.listTools()).tools.map((tool) => [`${tool.name}.json`, tool]);
  const stored = [...(await storedSnapshots())].map(([name, text]) => [name, JSON.parse(text)]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(stored));
});
