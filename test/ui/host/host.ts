import { build } from 'esbuild';
import { expect, onTestFinished } from 'vitest';
import type { Answered, EraClient } from '../../support/eras.ts';
import { sharedBrowser } from '../chromium.ts';
import type { Opening } from './host-page.ts';

/** A secure origin that exists only here: the browser allows the clipboard only to such pages. */
const origin = 'https://host.test/';

let script: Promise<string> | undefined;

async function bundleHost(): Promise<string> {
  const entry = new URL('host-page.ts', import.meta.url).pathname;
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: 'iife' });
  return outputFiles[0]?.text ?? '';
}

export interface ViewOptions {
  client: EraClient;
  tool: string;
  args?: Record<string, unknown>;
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
  /** Pixels of the picture for each pixel of the page. */
  scale?: number;
  /** A client that lets views call no tools. */
  noTools?: boolean;
  /** A result instead of the server's. */
  result?: Answered;
  /** Do not send a result yet. */
  pending?: boolean;
  displayMode?: 'inline' | 'fullscreen';
  context?: Opening['context'];
  /** Closes the page, instead of the end of the test. */
  atEnd?: (close: () => Promise<void>) => void;
}

export type OpenedView = Awaited<ReturnType<typeof openView>>;

const blank =
  '<!doctype html><html lang="en"><head><title>Host</title><meta name="viewport" content="width=device-width"></head><body style="margin:0"></body></html>';

async function openHost(options: ViewOptions, problems: string[]) {
  const { width = 760, height = 700, scale = 1, theme = 'light', atEnd = onTestFinished } = options;
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: theme,
  });
  atEnd(() => context.close());
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(origin).origin });
  await context.route('**/*', async (route) => {
    const url = route.request().url();
    if (url === origin) return await route.fulfill({ contentType: 'text/html', body: blank });
    problems.push(`request: ${url}`);
    await route.abort();
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return page;
}

/** The page of a tool, as a client finds it. */
async function pageOf(client: EraClient, tool: string) {
  const { tools } = await client.listTools();
  const meta = tools.find(({ name }) => name === tool)?._meta as { ui?: { resourceUri?: string } } | undefined;
  const { contents } = await client.read(meta?.ui?.resourceUri ?? '');
  const [content] = contents;
  const ui = (content?._meta as { ui?: { permissions?: Opening['permissions'] } } | undefined)?.ui;
  return { html: content?.text ?? '', permissions: ui?.permissions };
}

/** Opens the view of a tool in a page of its own, calls the tool as the assistant would, and waits until the view shows the result. */
export async function openView(options: ViewOptions) {
  const { client, tool, args = {}, theme = 'light', noTools = false, displayMode = 'inline' } = options;
  /** Console errors, uncaught errors, refused policies and requests to anywhere: at the end of a test there is none. */
  const problems: string[] = [];
  /** Calls of the view, in order. */
  const calls: { name: string; args: Record<string, unknown> }[] = [];
  const page = await openHost(options, problems);
  if (options.atEnd === undefined) onTestFinished(() => expect(problems).toEqual([]));
  await page.exposeFunction('callServer', async (name: string, given: Record<string, unknown>) => {
    calls.push({ name, args: given });
    return await client.call(name, given);
  });
  await page.goto(origin);
  script ??= bundleHost();
  await page.evaluate(await script);
  const opening = {
    ...(await pageOf(client, tool)),
    context: {
      theme,
      displayMode,
      availableDisplayModes: ['inline' as const, 'fullscreen' as const],
      ...options.context,
    },
    capabilities: noTools ? {} : { serverTools: {}, updateModelContext: { text: {} } },
  };
  await page.evaluate((given) => window.host.open(JSON.parse(given)), JSON.stringify(opening));
  await page.evaluate((given) => window.host.input(given), args);
  /** Sends another result of the tool. */
  const send = (result: Answered) => page.evaluate((given) => window.host.result(given as never), result);
  const frame = page.frames().find((one) => one.parentFrame() !== null);
  if (frame === undefined) throw new Error('the view has no frame');
  if (options.pending !== true) {
    await send(options.result ?? (await client.call(tool, args)));
    await frame.locator('.content > *, [role=alert]:visible').first().waitFor();
  }
  return {
    page,
    frame,
    problems,
    calls,
    heights: () => page.evaluate(() => window.host.heights()),
    /** What the view told the model. */
    told: () => page.evaluate(() => window.host.told()),
    change: (context: Opening['context']) =>
      page.evaluate((given) => window.host.change(JSON.parse(given)), JSON.stringify(context)),
    send,
  };
}
