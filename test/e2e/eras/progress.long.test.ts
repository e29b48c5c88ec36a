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

const ways: [name: string, place: (url: string) => Promise<Place>][] = [
  ['stdio', async (url) => ({ environment: { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: 'key' } })],
  ['HTTP', (url) => startHttp({}, { baseUrl: url })],
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

type Case = ReturnType<typeof caseOf>;

function caseOf(name: string, era: Era, placeOf: (url: string) => Promise<Place>, ask: Ask) {
  const open = async () => {
    const { url } = await startBusyAcademy();
    const client = await era.connect(await placeOf(url));
    const heard: string[] = [];
    const onprogress: CallOptions['onprogress'] = ({ message }) => heard.push(message ?? '');
    return () => ask(client, { onprogress }).then(() => heard);
  };
  return { name, open };
}

const overHttp = (url: string) => startHttp({}, { baseUrl: url });

const cases: Case[] = [
  ...ways.flatMap(([way, placeOf]) =>
    eras.map((era) =>
      caseOf(`${era.name} over ${way} is notified that a call waits, and then gets its answer`, era, placeOf, call),
    ),
  ),
  ...eras.map((era) =>
    caseOf(`${era.name} is notified that the read of a resource waits, and then gets it`, era, overHttp, read),
  ),
];

/** They wait in parallel, within the first test: one after the other they would take a minute. */
async function waitTogether(): Promise<(() => Promise<string[]>)[]> {
  const opened = await Promise.allSettled(cases.map(({ open }) => open()));
  const asked = opened.map(async (one) => (one.status === 'fulfilled' ? one.value() : Promise.reject(one.reason)));
  await Promise.allSettled(asked);
  return asked.map((one) => () => one);
}

let waited: ReturnType<typeof waitTogether> | undefined;

for (const [index, { name }] of cases.entries()) {
  test(name, async () => {
    waited ??= waitTogether();
    const heard = await (await waited)[index]?.();
    expect(heard?.[0]).toMatch(/^waiting for the request limit, about \d s more$/);
  });
}
