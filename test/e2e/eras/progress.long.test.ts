import { expect, test } from 'vitest';
import { type CallOptions, type Era, type EraClient, eras, type Place } from '../../support/eras.ts';
import { startHttp } from '../../support/http-server.ts';
import { type MadeAcademy, saying, startMadeAcademy } from '../../support/made-academy.ts';

/** Refuses one request and asks for a pause of three seconds, which is long enough for a progress notification. */
async function startBusyAcademy(): Promise<MadeAcademy> {
  const academy = await startMadeAcademy();
  academy.say({
    status: 429,
    headers: { 'retry-after': '3' },
    body: () => {
      academy.say(saying(() => 'text'));
      return { error: 'rate_limited' };
    },
  });
  return academy;
}

const overHttp = (url: string) => startHttp({}, { baseUrl: url });

const ways: [name: string, place: (url: string) => Promise<Place>][] = [
  ['stdio', async (url) => ({ environment: { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: 'key' } })],
  ['HTTP', overHttp],
  ['HTTP without sessions', (url) => startHttp({}, { baseUrl: url, stateless: true })],
];

type Ask = (client: EraClient, options: CallOptions) => Promise<void>;

const call: Ask = async (client, options) => {
  const { isError } = await client.call('get_account', {}, options);
  expect(isError).toBeUndefined();
};

const read: Ask = async (client, options) => {
  const { contents } = await client.read('academy://account', options);
  expect(contents).toHaveLength(1);
};

/** The progress messages that a client gets while its request waits. Throws if the request then fails. */
async function heardBy(era: Era, placeOf: (url: string) => Promise<Place>, ask: Ask): Promise<string[]> {
  const { url } = await startBusyAcademy();
  const client = await era.connect(await placeOf(url));
  const heard: string[] = [];
  await ask(client, { onprogress: ({ message }) => void heard.push(message ?? '') });
  return heard;
}

const cases = [
  ...ways.flatMap(([way, placeOf]) =>
    eras.map((era) => ({ name: `${era.name} over ${way}, a call`, heard: () => heardBy(era, placeOf, call) })),
  ),
  ...eras.map((era) => ({ name: `${era.name}, a resource`, heard: () => heardBy(era, overHttp, read) })),
];

test('a client of every era is notified that a call or the read of a resource waits, and then gets its answer', async () => {
  // At once: one after the other they would take a minute.
  await Promise.all(
    cases.map(async ({ name, heard }) => {
      const [first] = await heard();
      expect(first, name).toMatch(/^waiting for the request limit, about \d s more$/);
    }),
  );
});
