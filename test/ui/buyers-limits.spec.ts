import { expect, test } from 'vitest';
import { at } from '../support/academy.ts';
import { academy, everyone, names, openBuyers } from './buyers.ts';
import { openView } from './host/host.ts';
import { sharedBrowser, startServer } from './setup.ts';

test('has no buttons that need a tool if the client lets views call none, and says why', async () => {
  const { frame, calls, problems } = await openBuyers({ ...everyone, limit: 5 }, { noTools: true });
  expect(await frame.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  expect(await frame.locator('tbody button').count()).toBe(0);
  expect(await frame.locator('.notes').innerText()).toContain('does not let views call tools');
  expect(await frame.getByRole('button', { name: 'Copy as CSV' }).count()).toBe(1);
  expect(calls).toEqual([]);
  expect(problems).toEqual([]);
});

test('shows an empty answer, an error and a cancelled call', async () => {
  const { frame, client, send, page, problems } = await openBuyers({ created_before: '2001-01-01' });
  expect(await frame.locator('tbody').innerText()).toBe('No buyer matches.');
  expect(await frame.locator('.summary').innerText()).toContain('0 buyers');
  await send(await client.call('find_buyers', { product: 'no such product at all' }));
  await frame.getByRole('alert').waitFor();
  expect(await frame.getByRole('alert').innerText()).toMatch(/^(not_found|invalid_input): /);
  await page.evaluate(() => window.host.cancel('the person pressed stop'));
  await expect.poll(() => frame.locator('h1').innerText()).toBe('Cancelled');
  expect(problems).toEqual([]);
});

test('shows the error of a tool that the view calls, and stays usable', async () => {
  const { client } = await startServer(academy);
  const broken = {
    ...client,
    call: async (name: string, args?: Record<string, unknown>) =>
      args?.cursor === undefined
        ? await client.call(name, args)
        : await client.call(name, { ...args, cursor: 'wrong' }),
  };
  const { frame, problems } = await openView(await sharedBrowser(), {
    client: broken,
    tool: 'find_buyers',
    args: { ...everyone, limit: 5 },
  });
  await frame.getByRole('button', { name: 'Load more' }).click();
  await frame.getByRole('alert').waitFor();
  expect(await frame.getByRole('alert').innerText()).toContain('invalid_input');
  expect(await names(frame)).not.toEqual([]);
  expect(problems).toEqual([]);
});

test('leaves the full screen from the profile of a student too', async () => {
  const { frame, answer, problems } = await openBuyers();
  await frame.getByRole('button', { name: at(answer.buyers, 0).name, exact: true }).click();
  await frame.getByRole('button', { name: 'Back to the buyers' }).waitFor();
  await frame.getByRole('button', { name: 'Full screen', exact: true }).click();
  await frame.getByRole('button', { name: 'Exit full screen' }).click();
  await frame.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
  expect(problems).toEqual([]);
});

test('fills the screen on request, where all rows scroll', async () => {
  const { frame, page, answer, problems } = await openBuyers();
  await frame.getByRole('button', { name: 'Full screen' }).click();
  await frame.getByRole('button', { name: 'Exit full screen' }).waitFor();
  expect(await frame.getByRole('button', { name: 'Next' }).count()).toBe(0);
  expect(await frame.getByRole('table').getAttribute('aria-rowcount')).toBe(String(answer.buyers.length + 1));
  const last = at(answer.buyers, answer.buyers.length - 1);
  await frame.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
  await frame.getByText(last.email).waitFor();
  expect(await page.evaluate(() => document.querySelector('iframe')?.offsetHeight)).toBe(700);
  await frame.getByRole('button', { name: 'Exit full screen' }).click();
  await frame.getByRole('button', { name: 'Next' }).waitFor();
  expect(problems).toEqual([]);
});
