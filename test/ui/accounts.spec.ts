import { expect, test } from 'vitest';
import { at } from '../support/academy.ts';
import { startAccounts, tokens } from '../support/accounts.ts';
import { apps, eras } from '../support/eras.ts';
import { openView } from './host/host.ts';

test('with several accounts, a view stays in the account of its answer', async () => {
  const { url } = await startAccounts();
  const client = await at(eras, 0).connect({ url, token: tokens.both }, undefined, apps);
  const { resources } = await client.listResources();
  expect(resources.filter(({ uri }) => uri.startsWith('ui:'))).toHaveLength(3);
  const views = [
    { tool: 'find_buyers', args: { account: 'south', limit: 2 }, press: 'tbody button', until: '#back' },
    { tool: 'get_course_structure', args: { account: 'south', course_id: 5 }, press: '#move-1074', until: '#up' },
  ];
  for (const { press, until, ...options } of views) {
    const { frame, page, calls } = await openView({ client, ...options, height: 900 });
    await frame.locator(press).first().click();
    await frame.locator(until).waitFor();
    if (until === '#up') await frame.locator(until).click();
    await expect.poll(() => calls.length).toBeGreaterThan(0);
    expect(calls.map(({ args }) => args.account)).toEqual(calls.map(() => 'south'));
    expect(await frame.getByRole('alert').isVisible()).toBe(false);
    await page.context().close();
  }
});
