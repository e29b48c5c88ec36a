import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { names, startBoth, variables, writeAccounts } from '../support/accounts.ts';
import { runHere } from '../support/command-line.ts';
import { webhookSecret } from '../support/events.ts';
import { temporaryFile } from '../support/sandbox.ts';

async function start(more: Record<string, string> = {}) {
  const { addressOf } = await startBoth();
  const file = await writeAccounts(addressOf);
  const environment = { ACADEMY_ACCOUNTS_FILE: file, ACADEMY_RATE_LIMIT: 'off', ...variables, ...more };
  return { addressOf, doctor: (...flags: string[]) => runHere(['doctor', '--verbose', ...flags], environment) };
}

test('doctor checks every account', async () => {
  const { addressOf, doctor } = await start();
  const { code, stdout, stderr } = await doctor();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.match(/^Account .*$/gm)).toEqual(['Account north', 'Account south']);
  for (const name of names) expect(stdout).toContain(`base_url in the accounts file: "${addressOf(name)}"\n`);
});

test('doctor --account checks one account', async () => {
  const { addressOf, doctor } = await start();
  const { code, stdout } = await doctor('--account', 'south');
  expect(code).toBe(0);
  expect(stdout).toContain(addressOf('south'));
  expect(stdout).not.toContain(addressOf('north'));
});

test('a problem of one account does not keep doctor from checking the next', async () => {
  const { doctor } = await start({ ACADEMY_KEY_NORTH: 'a-key-that-is-wrong' });
  const { code, stdout, stderr } = await doctor();
  expect(code).toBe(1);
  expect(stdout).toMatch(/^NO {2}unauthorized/m);
  // Neither can be set beside an accounts file.
  expect(stdout).not.toMatch(/ACADEMY_(BASE_URL|API_KEY)/);
  expect(stdout).toContain('check api_key_env or api_key_file in the accounts file, base_url in the accounts file');
  expect(stdout).toMatch(/Account south\n(.*\n)+.*requests sent, nothing changed/);
  expect(stderr).toBe('academy-mcp: north: the account cannot be used with these settings.\n');
});

test('doctor refuses an unknown account and --account without a file', async () => {
  const { doctor } = await start();
  expect(await doctor('--account', 'sout')).toMatchObject({
    code: 2,
    stderr:
      'academy-mcp: the accounts file has no account sout. Did you mean south? The accounts are north, south. See academy-mcp doctor --help.\n',
  });
  expect(await doctor('--account', 'west')).toMatchObject({
    stderr:
      'academy-mcp: the accounts file has no account west. The accounts are north, south. See academy-mcp doctor --help.\n',
  });
  const settings = { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'the-key' };
  expect(await runHere(['doctor', '--account', 'north'], settings)).toMatchObject({
    code: 2,
    stderr: 'academy-mcp: --account needs ACADEMY_ACCOUNTS_FILE. See academy-mcp doctor --help.\n',
  });
});

const pathsIn = (text: string) => [...text.matchAll(/\/webhooks\/(\w+)\/(\w+)\/(\S+)/g)].map(([, ...parts]) => parts);

test('doctor --webhook-urls prints the addresses of every account, or of one, each with its own secret', async () => {
  const { doctor } = await start({ ACADEMY_WEBHOOK_SECRET: webhookSecret });
  const { code, stdout } = await doctor('--webhook-urls');
  expect(code).toBe(0);
  expect(stdout.match(/^Account .*$/gm)).toEqual(['Account north', 'Account south']);
  const secrets = names.map(
    (name) => new Set(pathsIn(stdout).flatMap(([account, , secret]) => (account === name ? secret : []))),
  );
  expect(secrets.map(({ size }) => size)).toEqual([1, 1]);
  expect(new Set([...secrets.flatMap((found) => [...found]), webhookSecret]).size).toBe(3);
  const one = await doctor('--webhook-urls', '--account', 'south');
  expect(pathsIn(one.stdout)).toEqual(pathsIn(stdout).filter(([account]) => account === 'south'));
});

test('doctor --webhook-urls without any secret says what to set', async () => {
  const { doctor } = await start();
  expect(await doctor('--webhook-urls')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/ACADEMY_WEBHOOK_SECRET is not set\. .*webhook_secret_env of an account/),
  });
});

test('an events file that cannot be written is named with its account', async () => {
  const { doctor } = await start({ ACADEMY_EVENTS_FILE: '/no-such-folder/events.jsonl' });
  const { code, stdout } = await doctor('--account', 'south');
  expect(code).toBe(1);
  expect(stdout).toContain('NO  the events file of the account south cannot be written');
});

test('an accounts file and --sandbox exclude each other', async () => {
  const expected = /^academy-mcp: --sandbox cannot be used together with (ACADEMY_ACCOUNTS_FILE|--accounts-file)\./;
  for (const command of [[], ['http'], ['doctor']]) {
    const { code, stderr } = await runHere([...command, '--sandbox'], { ACADEMY_ACCOUNTS_FILE: 'accounts.json' });
    expect(code).toBe(1);
    expect(stderr).toMatch(expected);
  }
  const { stderr } = await runHere(['doctor', '--sandbox', '--accounts-file', 'accounts.json']);
  expect(stderr).toMatch(expected);
});

test('init refuses an accounts file before it asks or writes anything', async () => {
  const home = dirname(await temporaryFile('home'));
  const flags = ['init', '--client', 'cursor', '--yes', '--accounts-file', 'accounts.json'];
  const { code, stdout, stderr } = await runHere(flags, { HOME: home, USERPROFILE: home, APPDATA: home });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    'academy-mcp: init connects a client to one academy, so --accounts-file cannot be used. Leave it out.\n',
  );
  expect(readdirSync(home)).toEqual([]);
});
