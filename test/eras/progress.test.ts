import { expect, onTestFinished, test } from 'vitest';
import { eras, type Place } from '../support/eras.ts';
import { startHttp } from '../support/http-server.ts';
import { type MadeAcademy, saying, startMadeAcademy } from '../support/made-academy.ts';

/** Refuses one request and asks for a pause of three seconds, which is long enough to be told of. */
async function startBusyAcademy(): Promise<MadeAcademy> {
  const academy = await startMadeAcademy();
  onTestFinished(() => academy.close());
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

for (const [way, placeOf] of ways) {
  for (const era of eras) {
    test(`${era.name} over ${way} hears that a call waits, and then gets its answer`, async () => {
      const { url } = await startBusyAcademy();
      const client = await era.connect(await placeOf(url));
      const heard: string[] = [];
      const onprogress = ({ message }: { message?: string | undefined }) => heard.push(message ?? '');
      const { isError } = await client.call('get_account', {}, { onprogress });
      expect(isError).toBeUndefined();
      expect(heard[0]).toMatch(/^waiting for the request limit, about \d s more$/);
    });
  }
}

for (const era of eras) {
  test(`${era.name} hears that the reading of a resource waits, and then gets it`, async () => {
    const { url } = await startBusyAcademy();
    const client = await era.connect(await startHttp({}, { baseUrl: url }));
    const heard: string[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => heard.push(message ?? '');
    const { contents } = await client.read('academy://account', { onprogress });
    expect(contents).toHaveLength(1);
    expect(heard[0]).toMatch(/^waiting for the request limit, about \d s more$/);
  });
}
