import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { getMcpConfigForManifest, unpackExtension, validateManifest } from '@anthropic-ai/mcpb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { plugin } from '../../scripts/docs/docs.ts';
import { manifest, writeBundle } from '../../scripts/mcpb/bundle.ts';
import { tools } from '../../tools/index.ts';
import { startServer } from '../support/package-client.ts';
import { program } from '../support/program.ts';
import { start } from '../support/sandbox.ts';

let own = '';
let folder = '';
let file = '';

/** Packs the bundle and unpacks it where a client would. The official packer prints what it does. */
beforeAll(async () => {
  const print = vi.spyOn(console, 'log').mockReturnValue();
  own = await mkdtemp(join(tmpdir(), 'academy-mcp-'));
  [folder, file] = [join(own, 'installed'), join(own, 'academy-mcp.mcpb')];
  await writeBundle(dirname(program), join(own, 'content'), file);
  expect(await unpackExtension({ mcpbPath: file, outputDir: folder, silent: true })).toBe(true);
  print.mockRestore();
});

afterAll(() => rm(own, { recursive: true, force: true }));

const startSchema = z.object({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) });

type Fields = Record<string, string | boolean>;

/** The command that Claude Desktop runs for these fields: the substitution is that of the official package. */
async function commandFor(userConfig: Fields) {
  const config = await getMcpConfigForManifest({
    manifest: JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')),
    extensionPath: folder,
    systemDirs: {},
    userConfig,
    pathSeparator: sep,
  });
  return startSchema.parse(config);
}

async function startWith(fields: Fields) {
  const { args, env } = await commandFor(fields);
  return startServer(process.execPath, args, env);
}

test('the bundle is valid, below 2.5 MB, and has an icon of 512 pixels', async () => {
  const print = vi.spyOn(console, 'log').mockReturnValue();
  expect(validateManifest(join(folder, 'manifest.json'))).toBe(true);
  print.mockRestore();
  expect((await stat(file)).size).toBeLessThan(2.5 * 1024 * 1024);
  const icon = await readFile(join(folder, manifest.icon));
  expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([512, 512]);
  expect(manifest.version).toBe(packageJson.version);
  expect(manifest.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
});

test('the unpacked bundle answers from an academy, read-only at first, with the optional fields left empty', async () => {
  const sandbox = await start();
  const { client, call } = await startWith({ address: sandbox.url, api_key: sandbox.apiKey });
  const { text, isError } = await call('find_buyers', { product: '1', product_type: 'course', period: 'last_30_days' });
  expect({ isError, text }).toEqual({ isError: false, text: expect.stringContaining('buyers of course 1') });
  const offered = (await client.listTools()).tools;
  expect(offered.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
});

test('the fields of the bundle reach the program', async () => {
  const sandbox = await start();
  const fields = { address: sandbox.url, api_key: sandbox.apiKey, time_zone: 'Asia/Tokyo', read_only: false };
  const { client, call } = await startWith(fields);
  expect((await client.listTools()).tools).toHaveLength(tools.length);
  expect((await call('sales_report', { period: 'today' })).text).toContain('Asia/Tokyo');
});

test('a person can require their own confirmation in the form: without a client that can ask them, nothing is taken away', async () => {
  const { call } = await startWith({ try_sandbox: true, read_only: false, confirmation: ' Human ' });
  const { text, isError } = await call('revoke_course', {
    email: 'zoe.lefevre@example.net',
    name: 'Zoé Lefèvre',
    course_id: 13,
    confirm: true,
  });
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('human') });
});

test('the bundle runs with made-up data if nothing else is filled in', async () => {
  const { call } = await startWith({ try_sandbox: true });
  expect((await call('get_account')).isError).toBe(false);
});

/** Forms that cannot be used, and what a call answers. */
const wrongForms: [what: string, fields: Fields, says: RegExp][] = [
  ['an empty form', {}, /no value for "Address of the academy" and "API key"\..*"Try it with made-up data"/s],
  ['a form without a key', { address: 'https://academy.test', api_key: '' }, /no value for "API key"\./],
  ['a word as address', { address: 'academy', api_key: 'k' }, /the field "Address of the academy" must be a URL/],
  [
    'the address of an example',
    { address: 'https://academy.example.com', api_key: 'k' },
    /"Address of the academy" is still/,
  ],
  [
    'a misspelled time zone',
    { address: 'https://academy.test', api_key: 'k', time_zone: 'Lisabon' },
    /the field "Time zone" must be .*Did you mean Europe\/Lisbon\?/,
  ],
];

test.for(wrongForms)('%s: the extension lists its tools, and a call names the field', async ([, fields, says]) => {
  const { client, call } = await startWith(fields);
  const offered = (await client.listTools()).tools;
  expect(offered.length).toBeGreaterThan(20);
  expect(offered.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  const { text, isError } = await call('get_account');
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringMatching(says) });
  expect(text).toContain('Claude Desktop: Settings, Extensions. Claude Code: /plugin.');
  expect(text).not.toContain('ACADEMY_');
});

test('an address without https://, blanks and a line break behind the key are repaired', async () => {
  const sandbox = await start();
  const address = ` ${sandbox.url.replace('http://', '')} `;
  const { call } = await startWith({ address, api_key: `${sandbox.apiKey}\n`, time_zone: 'Europe/Lisbon' });
  expect((await call('sales_report', { period: 'today' })).text).toContain('Europe/Lisbon');
});

test('a wrong key is named as the form shows it', async () => {
  const sandbox = await start();
  const { call } = await startWith({ address: sandbox.url, api_key: 'wrong' });
  const { text } = await call('get_account');
  expect(text).toContain('check the field "API key", the field "Address of the academy"');
});

test('the plugin of Claude Code has the same form, keeps the key secret and starts the same program', async () => {
  expect(plugin.userConfig).toEqual(manifest.user_config);
  expect(plugin.userConfig.api_key.sensitive).toBe(true);
  const { args, env } = plugin.mcpServers.academy;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code fills it in.
  const [file = ''] = args.map((arg) => arg.replace('${CLAUDE_PLUGIN_ROOT}', join(dirname(program), '..')));
  // With the placeholders themselves, as if the client had filled in nothing.
  const { client, call } = await startServer(process.execPath, [file], { ...env, TRY_SANDBOX: 'true' });
  expect((await call('get_account')).isError).toBe(false);
  const offered = (await client.listTools()).tools;
  expect(offered.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
});
