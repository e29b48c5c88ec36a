import { expect, test } from 'vitest';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { describeTool } from '../../src/mcp/describe-tool.ts';
import { tools } from '../../tools/index.ts';
import { program } from '../support/built.ts';
import { startServer } from '../support/package-client.ts';
import { start } from '../support/sandbox.ts';
import { read } from './pages.ts';

const entry = z.object({
  command: z.literal('npx'),
  args: z.tuple([z.literal('-y'), z.literal(packageJson.name)], z.string()),
  env: z.record(z.string(), z.string()).optional(),
});
const vsCodeEntry = entry.extend({
  name: z.string(),
  inputs: z
    .array(z.object({ type: z.literal('promptString'), id: z.string(), password: z.boolean().optional() }))
    .optional(),
});

/** What Cursor reads from a link: the configuration is JSON in base64. */
function cursorEntry(link: string) {
  const { searchParams } = new URL(link);
  const config = Buffer.from(searchParams.get('config') ?? '', 'base64').toString('utf8');
  return { name: searchParams.get('name'), ...entry.parse(JSON.parse(config)) };
}

/** What VS Code reads from a link: the whole query is JSON. */
function vsCodeEntryOf(link: string) {
  const { protocol, pathname, search } = new URL(link);
  expect([protocol, pathname]).toEqual(['vscode:', 'mcp/install']);
  return vsCodeEntry.parse(JSON.parse(decodeURIComponent(search.slice(1))));
}

/** Every match of a pattern in the document. */
function linksIn(page: string, pattern: RegExp): string[] {
  return [...read(page).matchAll(pattern)].map(([link]) => link);
}

const cursorLinks = linksIn('README.md', /https:\/\/cursor\.com\/[^)\s]+/g);
const vsCodeLinks = linksIn('README.md', /https:\/\/insiders\.vscode\.dev\/[^)\s]+/g).map(
  (link) => new URL(link).searchParams.get('url') ?? '',
);
const entries = [...cursorLinks.map(cursorEntry), ...vsCodeLinks.map(vsCodeEntryOf)];

test('the links for Cursor and VS Code can be decoded, one with an academy and one with made-up data each', () => {
  expect(entries.map(({ name, args }) => [name, ...args.slice(2)])).toEqual([
    ['academy'],
    ['academy-sandbox', '--sandbox'],
    ['academy'],
    ['academy-sandbox', '--sandbox'],
  ]);
});

test('no link holds a key: VS Code asks for it as a password', () => {
  for (const { env = {} } of entries)
    expect(env.ACADEMY_API_KEY ?? '').toMatch(/^(|your-api-key|\$\{input:[a-z-]+\})$/);
  const [{ env = {}, inputs = [] } = { env: {}, inputs: [] }] = vsCodeLinks.map(vsCodeEntryOf);
  const asked = inputs.map(({ id }) => `\${input:${id}}`);
  expect([env.ACADEMY_BASE_URL, env.ACADEMY_API_KEY]).toEqual(asked);
  expect(inputs.map(({ password }) => password === true)).toEqual([false, true]);
});

test('every link to an academy begins read-only', () => {
  const withAcademy = entries.filter(({ args }) => !args.includes('--sandbox'));
  expect(withAcademy.map(({ env }) => env?.ACADEMY_READ_ONLY)).toEqual(['true', 'true']);
});

test('every link starts the program: npx runs the only command of the package with these arguments', async () => {
  expect(Object.keys(packageJson.bin)).toEqual([packageJson.name]);
  const sandbox = await start();
  const readOnlyTools = tools.map(describeTool).filter(({ annotations }) => annotations?.readOnlyHint === true);
  const values: Record<string, string> = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey };
  for (const { args, env = {} } of entries) {
    const filledIn = Object.fromEntries(Object.entries(env).map(([name, given]) => [name, values[name] ?? given]));
    const { client, call } = await startServer(process.execPath, [program, ...args.slice(2)], filledIn);
    const offered = env.ACADEMY_READ_ONLY === 'true' ? readOnlyTools : tools;
    expect((await client.listTools()).tools).toHaveLength(offered.length);
    expect((await call('get_account')).isError).toBe(false);
    await client.close();
  }
});
