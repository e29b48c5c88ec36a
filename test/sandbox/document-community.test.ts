import { expect, test } from 'vitest';
import {
  type Academy,
  at,
  expectError,
  type Row,
  rows,
  startAcademy,
  the,
  under,
  whole,
  words,
} from '../support/academy.ts';

test('a search returns id, name and slug; the detail by id and by slug has group, topics, path and offers', async () => {
  const academy = await startAcademy();
  for (const item of await search(academy, '?limit=50')) {
    expect(item).toMatchObject({ id: expect.any(Number), name: expect.any(String), slug: expect.any(String) });
    const channel = await detail(academy, item.id);
    expect(channel).toMatchObject({ id: item.id, name: item.name, slug: item.slug });
    expect(channel).toHaveProperty('description');
    expect(channel.locked).toBeTypeOf('boolean');
    expect(channel.is_private).toBeTypeOf('boolean');
    expect(await detail(academy, item.slug)).toEqual(channel);
    for (const fact of ['group', 'topic', 'path', 'offer']) expect(Object.keys(channel).join(' ')).toContain(fact);
  }
});

test('privacy follows the attached offers, and a detail shows at most 10 of them', async () => {
  const academy = await startAcademy();
  const channels = await Promise.all((await search(academy, '?limit=50')).map(({ id }) => detail(academy, id)));
  for (const channel of channels) {
    expect(offersOf(channel).length).toBeLessThanOrEqual(10);
    if (channel.is_private) expect(offersOf(channel).length).toBeGreaterThan(0);
    if (offersOf(channel).length === 0) expect(channel.is_private).toBe(false);
  }
  expect(new Set(channels.map(({ is_private }) => is_private))).toEqual(new Set([true, false]));
});

test('a channel search returns 25 channels by default and accepts a limit of 1 to 50', async () => {
  const academy = await startAcademy();
  for (let index = 0; index < 51; index += 1) await create(academy, { name: `Filler ${index}` });
  expect(await search(academy, '')).toHaveLength(25);
  expect(await search(academy, '?limit=1')).toHaveLength(1);
  expect(await search(academy, '?limit=50')).toHaveLength(50);
});

test('the query finds channels by name and by slug', async () => {
  const academy = await startAcademy();
  const channel = await create(academy, { name: 'Quiet harpsichord corner' });
  for (const text of ['harpsichord', words((await detail(academy, channel.id)).slug)]) {
    const found = await search(academy, `?${new URLSearchParams({ query: text })}`);
    expect(found.map(({ id }) => id)).toEqual([channel.id]);
  }
  expect(await search(academy, '?query=zzz-no-such-channel')).toEqual([]);
});

test.each(['PATCH', 'PUT'])('%s changes only the given fields of a channel, by id and by slug', async (method) => {
  const academy = await startAcademy();
  const before = await detail(academy, at(await search(academy, ''), 0).id);
  const path = `/api/v1/community/channels/${before.id}`;
  await academy.write(method, path, { channel: { description: 'New words' } });
  const changes = { description: 'New words', locked: !before.locked };
  await academy.write(method, `/api/v1/community/channels/${before.slug}`, { channel: { locked: changes.locked } });
  expect(known(await detail(academy, before.id))).toEqual(known({ ...before, ...changes }));
});

test('an update can move a channel to another group', async () => {
  const academy = await startAcademy();
  const [from, to] = [at(await groups(academy), 0), at(await groups(academy), 1)];
  const channel = await create(academy, { name: 'Wanderer', group_id: from.id });
  await academy.write('PATCH', `/api/v1/community/channels/${channel.id}`, { channel: { group_id: to.id } });
  const { group, group_id } = await detail(academy, channel.id);
  expect(JSON.stringify(group ?? group_id)).toContain(String(to.id));
});

test.each(['is_private', 'private', 'privacy', 'offers'])(
  'the field %s is rejected on create and on update',
  async (field) => {
    const academy = await startAcademy();
    const channel = { name: 'Secret room', [field]: true };
    expectError(await academy.send('POST', '/api/v1/community/channels', { channel }), 422);
    expect(await search(academy, '?query=Secret')).toEqual([]);
    const before = await detail(academy, at(await search(academy, ''), 0).id);
    for (const method of ['PATCH', 'PUT']) {
      const answer = await academy.send(method, `/api/v1/community/channels/${before.id}`, { channel });
      expectError(answer, 422, 'invalid_fields');
    }
    expect(await detail(academy, before.id)).toEqual(before);
  },
);

test('a write needs the key channel and values of the documented types', async () => {
  const academy = await startAcademy();
  const bodies = [
    {},
    { name: 'Flat' },
    { channel: {} },
    { channel: { name: 5 } },
    { channel: { name: 'A', locked: 'maybe' } },
  ];
  for (const body of bodies) expectError(await academy.send('POST', '/api/v1/community/channels', body), 422);
  const unknown = await academy.send('PATCH', '/api/v1/community/channels/no-such', { channel: { locked: true } });
  expectError(unknown, 404, 'not_found');
});

test('groups are sorted by position, each with its channel count', async () => {
  const academy = await startAcademy();
  const before = await groups(academy);
  expect(before.length).toBeGreaterThan(1);
  expect(before.length).toBeLessThanOrEqual(100);
  const positions = before.map(({ position }) => whole(position));
  expect(positions).toEqual([...positions].sort((one, other) => one - other));
  await create(academy, { name: 'One more', group_id: at(before, 0).id });
  const after = await groups(academy);
  expect(after.map(channelCount)).toEqual(before.map((group, index) => channelCount(group) + (index === 0 ? 1 : 0)));
});

const search = async (academy: Academy, query: string): Promise<Row[]> =>
  await academy.list(`/api/v1/community/channels${query}`);

const detail = async (academy: Academy, idOrSlug: unknown): Promise<Row> =>
  under(await academy.read(`/api/v1/community/channels/${idOrSlug}`), 'channel');

const groups = async (academy: Academy): Promise<Row[]> => await academy.list('/api/v1/community/groups');

const create = async (academy: Academy, channel: Row): Promise<Row> =>
  under((await academy.write('POST', '/api/v1/community/channels', { channel })).body, 'channel');

const known = ({ id, name, slug, description, locked, is_private }: Row): Row => ({
  ...{ id, name, slug, description, locked, is_private },
});

const offersOf = (channel: Row): Row[] => {
  const [, offers] = the(Object.entries(channel), 'attached offers', ([key]) => key.includes('offer'));
  return rows(offers);
};

const channelCount = (group: Row): number => {
  const [, count] = the(Object.entries(group), 'channel count', ([key]) => /channels?_count/.test(key));
  return whole(count);
};
