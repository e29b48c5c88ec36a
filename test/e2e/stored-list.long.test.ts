import { expect, test } from 'vitest';
import { at } from '../support/academy.ts';
import { connect } from '../support/connect.ts';
import { type EraClient, eras, sameOf } from '../support/eras.ts';
import { startHttpProgram } from '../support/program.ts';

const base = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'sandbox-admin-key' };

/** All that a client reads before its first call, as text: the order of keys counts. */
async function listsOf(client: Omit<EraClient, 'call' | 'version' | 'watch'>): Promise<string[]> {
  const lists = [
    client.capabilities(),
    client.instructions(),
    await client.listTools(),
    await client.listPrompts(),
    await client.listResources(),
    await client.listTemplates(),
  ];
  return lists.map((list) => JSON.stringify(list));
}

const variants: Record<string, string>[] = [
  {},
  { ACADEMY_CONFIRM: 'preview' },
  { ACADEMY_LOCKDOWN: 'true', ACADEMY_REQUIRE_INTERACTION: 'off' },
  { ACADEMY_CONFIRM: 'preview', ACADEMY_LOCKDOWN: 'true' },
  { ACADEMY_READ_ONLY: 'true' },
];

test.for(variants)('the built program lists byte for byte what the definitions give: %o', async (settings) => {
  const environment = { ...base, ...settings };
  const { client: computed } = await connect(environment);
  const expected = await listsOf(sameOf(computed));
  for (const place of [{ environment }, await startHttpProgram({ environment })])
    expect(await listsOf(await at(eras, 0).connect(place))).toEqual(expected);
});
