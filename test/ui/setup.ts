import type { Browser } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { at } from '../support/academy.ts';
import { type EraClient, type Extensions, eras, type Person } from '../support/eras.ts';
import { startHttp } from '../support/http-server.ts';
import { launch } from './chromium.ts';

export const apps: Extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };

let browser: Promise<Browser> | undefined;

/** One browser for all tests of a run; each test has a context of its own. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

afterAll(async () => {
  const opened = browser;
  browser = undefined;
  await (await opened)?.close();
});

export interface Setup {
  client: EraClient;
  sandbox: Awaited<ReturnType<typeof startHttp>>['sandbox'];
}

/** The real server over HTTP with its own academy, and a client of 2025-11-25 that has MCP Apps. */
export async function startServer(
  sandbox: SandboxOptions = {},
  settings: Record<string, string> = {},
  person?: Person,
): Promise<Setup> {
  const server = await startHttp(settings, { sandbox: { seed: 7, ...sandbox } });
  const client = await at(eras, 0).connect({ url: server.url }, person, onTestFinished, apps);
  return { client, sandbox: server.sandbox };
}
