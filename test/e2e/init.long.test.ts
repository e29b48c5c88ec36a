import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { type ClientId, clientIds } from '../../src/cli/init/clients.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { tools } from '../../tools/index.ts';
import { academy, askThrough, entryIn, filesIn, init, makeHome, modeOf, settingsFiles } from '../support/init.ts';
import { startSelfSigned } from '../support/self-signed.ts';

function keyOf({ apiKey }: Pick<Sandbox, 'apiKey'>) {
  return { environment: { ACADEMY_API_KEY: apiKey } };
}

function put(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const others = `{
  // the servers of the team
  "SERVERS": {
    "files": { "command": "npx", "args": ["-y", "files"] } // keep
  },
  "theme": "dark"
}
`;

function othersOf(client: ClientId): string {
  return others.replace('SERVERS', client === 'vscode' ? 'servers' : 'mcpServers');
}

/** The clients whose settings init writes itself. */
const writtenClients = clientIds.filter((id) => id !== 'claude-code');

test.for(writtenClients)('the entry for %s starts, and --remove takes it out', async (client) => {
  const sandbox = await academy();
  const home = makeHome();
  const file = put(join(home, settingsFiles[client]), othersOf(client));
  chmodSync(file, 0o640);
  const args = ['--client', client, '--base-url', sandbox.url, '--timezone', 'Europe/Lisbon', '--yes'];

  const { code, stdout, stderr } = await init(home, args, keyOf(sandbox));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`Wrote the server "academy" to ${file}.`);
  const written = readFileSync(file, 'utf8');
  for (const kept of ['// the servers of the team', '// keep', '"theme": "dark"']) expect(written).toContain(kept);
  expect(readFileSync(`${file}.academy-mcp-backup`, 'utf8')).toBe(othersOf(client));
  expect(written).not.toContain(sandbox.apiKey);
  expect(modeOf(file)).toBe('640');

  const entry = entryIn(file);
  expect(entry.command).toBe(process.execPath);
  expect(entry.env).toMatchObject({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_TIMEZONE: 'Europe/Lisbon' });
  const answer = await askThrough(entry, sandbox.apiKey);
  expect(answer).toEqual({ name: expect.stringContaining('subdomain'), tools: tools.length });

  const after = filesIn(home);
  expect(await init(home, args, keyOf(sandbox))).toMatchObject({ code: 0, stdout: expect.stringContaining('already') });
  expect(filesIn(home)).toEqual(after);

  expect(await init(home, ['--client', client, '--remove'])).toMatchObject({ code: 0, stderr: '' });
  expect(parse(readFileSync(file, 'utf8'))).toEqual(parse(othersOf(client)));
  expect(modeOf(file)).toBe('640');
  expect(JSON.stringify(filesIn(home))).not.toContain(sandbox.apiKey);
  const none = await init(home, ['--client', client, '--remove']);
  expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('has no server "academy"') });
});

test.for(writtenClients)('a missing file and its folders are made for %s', async (client) => {
  const home = makeHome();
  const args = ['--client', client, '--sandbox', '--read-only', '--yes'];
  expect(await init(home, args)).toMatchObject({ code: 0, stderr: '' });
  const entry = entryIn(join(home, settingsFiles[client]), 'academy-sandbox');
  const { tools: offered } = await askThrough(entry, '');
  expect(offered).toBeGreaterThan(0);
  expect(offered).toBeLessThan(tools.length);
  expect(modeOf(join(home, settingsFiles[client]))).toBe('600');
});

test('Claude Code adds and removes the server itself, for all projects, with the key in a file', async () => {
  const sandbox = await academy();
  const home = makeHome();
  const file = put(join(home, settingsFiles['claude-code']), '{ "numStartups": 3 }');
  const args = ['--client', 'claude-code', '--base-url', sandbox.url, '--timezone', 'Europe/Lisbon', '--yes'];
  const { code, stdout, stderr } = await init(home, args, keyOf(sandbox));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Claude Code has added the server "academy" for all your projects.');
  const entry = entryIn(file);
  expect(readFileSync(entry.env.ACADEMY_API_KEY_FILE ?? '', 'utf8')).toBe(`${sandbox.apiKey}\n`);
  expect(readFileSync(file, 'utf8')).not.toContain(sandbox.apiKey);
  expect((await askThrough(entry, '')).tools).toBe(tools.length);

  await init(home, [...args, '--read-only'], keyOf(sandbox));
  expect(entryIn(file).env.ACADEMY_READ_ONLY).toBe('true');
  expect(await init(home, ['--client', 'claude-code', '--remove'])).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ numStartups: 3, mcpServers: {} });
  expect(Object.keys(filesIn(home))).toEqual([settingsFiles['claude-code']]);
});

test('without the command claude, init names the command to run', async () => {
  const home = makeHome();
  const args = ['--client', 'claude-code', '--sandbox', '--yes', '--timezone', 'UTC'];
  const { code, stderr } = await init(home, args, { environment: { PATH: '' } });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /the command claude is not on your PATH\. Run this command yourself: claude mcp add academy-sandbox --scope user --env ACADEMY_TIMEZONE=UTC -- \S+ \S+main\.js --sandbox\n$/,
  );
});

test('a link in the place of the key file is replaced, and what it leads to stays', async () => {
  const sandbox = await academy();
  const home = makeHome();
  const target = put(join(home, 'shared.txt'), 'read by all');
  const key = join(home, '.config/academy-mcp/cursor-academy/key');
  mkdirSync(dirname(key), { recursive: true });
  symlinkSync(target, key);
  const ended = await init(home, ['--client', 'cursor', '--base-url', sandbox.url, '--yes'], keyOf(sandbox));
  expect(ended).toMatchObject({ code: 0 });
  expect([readFileSync(target, 'utf8'), readFileSync(key, 'utf8')]).toEqual(['read by all', `${sandbox.apiKey}\n`]);
});

test('the key is in a file for its owner only, one for each client', async () => {
  const sandbox = await academy();
  const home = makeHome();
  const keyFileFor = async (client: ClientId) => {
    await init(home, ['--base-url', sandbox.url, '--yes', '--client', client], keyOf(sandbox));
    return entryIn(join(home, settingsFiles[client])).env.ACADEMY_API_KEY_FILE ?? '';
  };
  const [file, other] = [await keyFileFor('cursor'), await keyFileFor('vscode')];
  expect(dirname(dirname(file))).toBe(join(home, '.config/academy-mcp'));
  expect(readFileSync(file, 'utf8')).toBe(`${sandbox.apiKey}\n`);
  expect([modeOf(file), modeOf(dirname(file))]).toEqual(['600', '700']);

  await init(home, ['--client', 'cursor', '--remove']);
  expect([existsSync(file), existsSync(other)]).toEqual([false, true]);
});

test('the key comes from a file, to which the entry refers', async () => {
  const sandbox = await academy();
  const home = makeHome();
  const keyFile = put(join(home, 'my-key'), sandbox.apiKey);
  const args = ['--client', 'cursor', '--base-url', sandbox.url];
  expect(await init(home, [...args, '--key-file', keyFile, '--yes'])).toMatchObject({ code: 0 });
  const file = join(home, settingsFiles.cursor);
  expect(entryIn(file).env.ACADEMY_API_KEY_FILE).toBe(keyFile);
  await init(home, ['--client', 'cursor', '--remove']);
  expect(readFileSync(keyFile, 'utf8')).toBe(sandbox.apiKey);
});

test('--dry-run shows the change without the key and writes nothing', async () => {
  const sandbox = await academy();
  const home = makeHome();
  const file = put(join(home, settingsFiles.cursor), othersOf('cursor'));
  const before = filesIn(home);
  const args = ['--client', 'cursor', '--base-url', sandbox.url, '--dry-run', '--yes'];
  const { code, stdout } = await init(home, args, keyOf(sandbox));
  expect(code).toBe(0);
  expect(stdout).toContain(`Would add to ${file}:`);
  expect(stdout).toContain('ACADEMY_API_KEY_FILE');
  expect(stdout).not.toContain(sandbox.apiKey);
  expect(filesIn(home)).toEqual(before);

  await init(home, ['--client', 'cursor', '--sandbox', '--yes']);
  const written = filesIn(home);
  const removal = await init(home, ['--client', 'cursor', '--sandbox', '--remove', '--dry-run']);
  expect(removal.stdout).toContain('Would remove the server "academy-sandbox"');
  expect(filesIn(home)).toEqual(written);
});

test('--remove takes out "academy", and with --sandbox the other', async () => {
  const sandbox = await academy();
  const home = makeHome();
  const args = ['--client', 'cursor', '--yes'];
  const file = join(home, settingsFiles.cursor);
  await init(home, [...args, '--sandbox']);
  await init(home, [...args, '--base-url', sandbox.url], keyOf(sandbox));
  const preview = await init(home, [...args, '--remove', '--dry-run']);
  expect(preview.stdout).toBe(`Would remove the server "academy" from ${file}.\nNothing was written.\n`);
  const first = await init(home, [...args, '--remove']);
  expect(first.stdout).toContain(`Removed the server "academy" from ${file}.`);
  expect(entryIn(file, 'academy-sandbox').args).toContain('--sandbox');
  expect((await init(home, [...args, '--remove'])).stdout).toContain('has no server "academy"');
  const second = await init(home, [...args, '--sandbox', '--remove']);
  expect(second.stdout).toContain('Removed the server "academy-sandbox"');
  expect(parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: {} });
});

/** Settings that init must not touch, and what it says. */
const untouchable: [text: string, says: string][] = [
  ['{ "mcpServers": { ', 'is not valid JSON (line 1); nothing was changed. Correct the file, then try again.'],
  ['[]', 'is not a JSON object; nothing was changed. Correct the file, then try again.'],
  [
    '{ "mcpServers": 1 }',
    'has "mcpServers" that are not an object; nothing was changed. Correct the file, then try again.',
  ],
  [
    '{ "mcpServers": { "academy-sandbox": { "url": "https://other.test/mcp" } } }',
    'has a server "academy-sandbox" that starts another program; nothing was changed. Rename that entry first.',
  ],
];

test.for(untouchable)('settings that cannot be changed safely stay: %s', async ([text, says]) => {
  const home = makeHome();
  const file = put(join(home, settingsFiles.cursor), text);
  for (const action of [['--yes'], ['--remove']]) {
    const ended = await init(home, ['--client', 'cursor', '--sandbox', ...action]);
    expect(ended).toEqual({ code: 1, stdout: '', stderr: `academy-mcp: ${file} ${says}\n` });
  }
  expect(filesIn(home)).toEqual({ [settingsFiles.cursor]: text });
});

test('a second run with other answers updates the entry', async () => {
  const home = makeHome();
  const file = put(join(home, settingsFiles.cursor), othersOf('cursor'));
  const args = ['--client', 'cursor', '--sandbox', '--yes'];
  await init(home, [...args, '--read-only', '--toolsets', 'orders,students', '--journal', './journal.jsonl']);
  expect(entryIn(file, 'academy-sandbox').env).toMatchObject({
    ACADEMY_READ_ONLY: 'true',
    ACADEMY_TOOLSETS: 'orders,students',
    ACADEMY_JOURNAL: resolve('journal.jsonl'),
  });
  await init(home, args);
  expect(Object.keys(entryIn(file, 'academy-sandbox').env)).toEqual(['ACADEMY_TIMEZONE']);
});

test('a symbolic link stays a link, and the file behind it is changed', async () => {
  const home = makeHome();
  const real = put(join(home, 'dotfiles/mcp.json'), othersOf('cursor'));
  mkdirSync(join(home, '.cursor'));
  symlinkSync('../dotfiles/mcp.json', join(home, settingsFiles.cursor));
  await init(home, ['--client', 'cursor', '--sandbox', '--yes']);
  expect(entryIn(real, 'academy-sandbox').args).toContain('--sandbox');
  expect(lstatSync(join(home, settingsFiles.cursor)).isSymbolicLink()).toBe(true);
});

test('a self-signed certificate is named, and extra certificates are written into the entry', async () => {
  const { url, apiKey } = await academy();
  const home = makeHome();
  const environment = { ACADEMY_API_KEY: apiKey, NODE_EXTRA_CA_CERTS: '/etc/own-ca.pem' };
  const args = ['--client', 'cursor', '--yes', '--base-url'];
  const { code, stderr } = await init(home, [...args, await startSelfSigned(url)], { environment });
  expect(code).toBe(1);
  expect(stderr).toMatch(/its certificate is self-signed.* set NODE_EXTRA_CA_CERTS to the full path/);
  expect(filesIn(home)).toEqual({});
  expect(await init(home, [...args, url], { environment })).toMatchObject({ code: 0 });
  const { env } = entryIn(join(home, settingsFiles.cursor));
  expect(env).toMatchObject({ NODE_EXTRA_CA_CERTS: '/etc/own-ca.pem' });
});

test('a wrong key, address or flag writes nothing', async () => {
  const sandbox = await academy();
  const home = makeHome();
  const args = ['--client', 'cursor', '--yes', '--timezone'];
  const cases: [args: string[], key: string, code: number, says: RegExp][] = [
    [['UTC', '--base-url', sandbox.url], 'wrong', 1, /401.*check ACADEMY_API_KEY/],
    [['UTC', '--base-url', 'http://127.0.0.1:9'], 'k', 1, /ECONNREFUSED/],
    [['UTC', '--base-url', 'https://academy.example.com'], 'k', 1, /still the address of an example/],
    [['UTC', '--base-url', 'school'], 'k', 2, /^academy-mcp: --base-url must be a URL/],
    [['Europe/Lisabon', '--base-url', sandbox.url], 'k', 2, /Did you mean Europe\/Lisbon\?/],
    [['UTC', '--base-url', sandbox.url], '', 2, /the key is missing: set ACADEMY_API_KEY/],
    [['UTC'], 'k', 2, /the address is missing: add --base-url/],
  ];
  for (const [more, key, code, says] of cases) {
    const ended = await init(home, [...args, ...more], { environment: { ACADEMY_API_KEY: key } });
    expect(ended, String(says)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) });
    expect(ended.stderr).toMatch(/^[^\n]+\n$/);
  }
  expect(filesIn(home)).toEqual({});
  expect(await init(home, ['--client', 'cursr'])).toMatchObject({ code: 2 });
  expect(await init(home, [])).toMatchObject({ code: 2, stderr: expect.stringContaining('--client') });
});
