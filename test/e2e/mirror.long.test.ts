import { existsSync, readFileSync } from 'node:fs';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { askWhileFilling } from '../reliability/figures/f22-mirror.ts';
import { runHere } from '../support/command-line.ts';
import { callMessage, createCaller, post } from '../support/http-server.ts';
import { callOf, hello, messagesIn, startHttpProgram, start as startProgram } from '../support/program.ts';
import { start, temporaryFile } from '../support/sandbox.ts';

test('nothing of the mirror is opened before the first tools/list', async () => {
  const sandbox = await start();
  const file = await temporaryFile('mirror.db');
  const environment = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey, ACADEMY_MIRROR: file };
  const { send, written } = startProgram([], environment);
  send(...hello, callOf(2, 'get_account'));
  await expect.poll(() => messagesIn(written.stdout).some(({ id }) => id === 2)).toBe(true);
  expect(await readdir(dirname(file))).toEqual([]);
  send({ id: 3, method: 'tools/list' });
  await expect.poll(() => existsSync(file)).toBe(true);
});

/** The header of a file of this program. */
const header = {
  format: 3,
  schema: 3,
  baseUrl: 'https://academy.example.com/',
  timezone: 'UTC',
  savedAt: '2026-11-21T10:00:00Z',
  bytes: 1,
  sha256: 'a'.repeat(64),
};
const mirrored = `${JSON.stringify(header).padEnd(4_095)}\npages`;

test('mirror purge deletes no file without a whole header of this program', async () => {
  const file = await temporaryFile('mirror.db');
  const others = [
    '{"format":3',
    'x',
    '',
    mirrored.replace('"schema":3', '"schema":"3"'),
    mirrored.replace('a'.repeat(64), ''),
  ];
  for (const other of others) {
    await writeFile(file, other, { mode: 0o600 });
    await writeFile(`${file}.north`, other, { mode: 0o600 });
    const { code, stderr } = await runHere(['mirror', 'purge'], { ACADEMY_MIRROR: file });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is not a mirror file') });
    expect((await readdir(dirname(file))).sort()).toEqual(['mirror.db', 'mirror.db.north']);
  }
});

test('mirror purge deletes the file and everything beside it', async () => {
  const file = await temporaryFile('mirror.db');
  for (const end of ['.new-7', '.damaged-2026-11-21T10-00-00-000Z', '.notes'])
    await writeFile(file + end, 'x', { mode: 0o600 });
  await writeFile(file, mirrored, { mode: 0o600 });
  const { code, stdout } = await runHere(['mirror', 'purge'], { ACADEMY_MIRROR: file });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`Deleted:\n${file}\n`) });
  expect(await readdir(dirname(file))).toEqual(['mirror.db.notes']);
  expect((await runHere(['mirror', 'purge', '--mirror', file])).stdout).toContain('There is no mirror file');
});

test('mirror purge deletes the files of accounts as well, and with --account only that one', async () => {
  const file = await temporaryFile('mirror.db');
  const names = ['.north', '.north.new-7', '.south', '.gone.damaged-2026-11-21T10-00-00-000Z'];
  for (const name of names) await writeFile(file + name, mirrored, { mode: 0o600 });
  for (const name of ['.notes', '.north.notes']) await writeFile(file + name, 'x');
  const purge = (...flags: string[]) => runHere(['mirror', 'purge', ...flags], { ACADEMY_MIRROR: file });
  expect((await purge('--account', 'North')).code).toBe(2);
  expect((await purge('--account', 'north')).stdout).toBe(`Deleted:\n${file}.north\n${file}.north.new-7\n`);
  const { stdout } = await purge();
  expect(stdout).toBe(`Deleted:\n${file}.gone.damaged-2026-11-21T10-00-00-000Z\n${file}.south\n`);
  expect((await readdir(dirname(file))).sort()).toEqual(['mirror.db.north.notes', 'mirror.db.notes']);
});

test('mirror purge refuses a link, and a setting that names no file', async () => {
  const file = await temporaryFile('mirror.db');
  await writeFile(file, mirrored, { mode: 0o600 });
  await symlink(file, `${file}.link`);
  expect((await runHere(['mirror', 'purge'], { ACADEMY_MIRROR: `${file}.link` })).stderr).toContain('symbolic link');
  expect((await runHere(['mirror', 'purge'])).stderr).toContain('ACADEMY_MIRROR names no file');
  expect((await runHere(['mirror', 'purge', '--mirror', 'on'])).code).toBe(2);
});

const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

test.for([
  ['a statement in flight at SIGTERM ends as it would have', 'query_data', 'the statement ran longer than 2 s'],
  ['a statement that takes longer says that the server stops', 'export_data', 'the server is stopping'],
] as const)('%s', { timeout: 60_000 }, async ([, tool, message]) => {
  const flags = ['--sandbox', '--stateless'];
  const { url, end } = await startHttpProgram({ environment: { ACADEMY_MIRROR: 'memory' }, flags });
  await post(url, callMessage(1, 'query_data', { sql: 'SELECT 1' }));
  const asked = post(url, callMessage(2, tool, { sql: endless }));
  await new Promise((resolve) => setTimeout(resolve, 700));
  const ended = end();
  expect(JSON.stringify((await asked).json)).toContain(message);
  expect(await ended).toMatchObject({ code: 0 });
});

// The figure F22 asks for five minutes, and allows 5% more.
test('a person waits no longer while a mirror is filled, and nothing is refused with 429', {
  timeout: 60_000,
}, async () => {
  const { failures, filled } = await askWhileFilling('short');
  expect(failures).toEqual([]);
  expect(filled).toBeGreaterThan(0);
});

const token = 'first-token-0123456789abcdef';
/** 32 MiB of a text that packs well, so that all of it is kept. */
const largest =
  "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 500000) SELECT x, printf('%80d', x) AS y FROM n";
const mebibytes = (kilobytes: string | undefined) => Number(kilobytes) / 1_024;

test.skipIf(platform() !== 'linux')(
  '40 reads at a time of the largest export leave the program below 400 MB',
  { timeout: 120_000 },
  async () => {
    const sandbox = await start({ students: 20, orders: 50 });
    const program = await startHttpProgram({
      environment: {
        ACADEMY_BASE_URL: sandbox.url,
        ACADEMY_API_KEY: sandbox.apiKey,
        ACADEMY_HTTP_TOKENS: token,
        ACADEMY_MIRROR: 'memory',
      },
    });
    const caller = createCaller(program.url, 50);
    const own = await caller.open({ authorization: `Bearer ${token}` });
    const { message } = await caller.send(callMessage(1, 'export_data', { sql: largest }), own);
    const links = message?.result?.structuredContent?.links;
    if (!Array.isArray(links)) throw new Error(JSON.stringify(message));
    expect(links.length).toBeGreaterThan(10);
    const reads = Array.from({ length: 40 }, async (_, index) => {
      const params = { uri: links[index % links.length] };
      const { text } = await caller.send({ jsonrpc: '2.0', id: index + 2, method: 'resources/read', params }, own);
      return text.includes('text/csv') && text.length > 2 ** 20;
    });
    expect((await Promise.all(reads)).filter((isWhole) => !isWhole).length).toBeLessThanOrEqual(3);
    const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8')) ?? [];
    expect(mebibytes(peak)).toBeLessThan(400);
  },
);
