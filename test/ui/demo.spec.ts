import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { start } from '../support/program.ts';
import { sharedBrowser } from './chromium.ts';

async function startDemo(): Promise<string> {
  const demo = start(['demo', '--open'], { CI: 'true' });
  await expect.poll(() => demo.written.stdout).toMatch(/^Open http:\S+ in a browser/);
  return /http:\S+/.exec(demo.written.stdout)?.[0] ?? '';
}

async function openPage(url: string): Promise<{ page: Page; problems: string[] }> {
  const context = await (await sharedBrowser()).newContext({ viewport: { width: 900, height: 700 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) problems.push(request.url());
  });
  await page.goto(url);
  return { page, problems };
}

test('academy-mcp demo --open shows the three views with live data, and applies and undoes a plan', async () => {
  const url = await startDemo();
  const { page, problems } = await openPage(url);
  const [buyers, sales, outline] = [0, 1, 2].map((index) => page.frameLocator('iframe').nth(index));
  await buyers?.locator('tbody tr').first().waitFor();
  await sales?.locator('.chart li').first().waitFor();
  await outline?.getByRole('button', { name: 'Apply' }).click();
  const agree = outline?.getByRole('button', { name: 'Yes, apply now' });
  await agree?.waitFor();
  await outline?.locator('.scroller').evaluate((area) => area.scrollTo(0, area.scrollHeight));
  await agree?.click();
  await outline?.getByRole('button', { name: 'Undo' }).waitFor();
  await buyers?.getByRole('button', { name: 'Full screen' }).click();
  await buyers?.getByRole('button', { name: 'Exit full screen' }).click();
  expect(problems).toEqual([]);
});

test('the demo answers nothing without the secret part of its address', async () => {
  const url = await startDemo();
  for (const path of ['/', '/call', '/buyers.html', '/wrong/buyers.html']) {
    expect((await fetch(new URL(path, url))).status).toBe(404);
  }
  expect((await fetch(new URL('other.html', url))).status).toBe(400);
  const call = await fetch(new URL('call', url), { method: 'POST', body: '{"name": 1}' });
  expect(call.status).toBe(400);
});
