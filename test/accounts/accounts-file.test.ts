import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { loadAccounts } from '../../src/accounts/load-accounts.ts';
import type { SettingSources } from '../../src/config/load.ts';
import { thrownBy } from '../support/refusal.ts';
import { temporaryFolder } from '../support/sandbox.ts';

const north = { name: 'north', base_url: 'https://north.academy.test', api_key_env: 'NORTH_KEY' };
const south = { name: 'south', base_url: 'https://south.academy.test', api_key_env: 'ACADEMY_KEY_OF_SOUTH' };
const caller = { token_env: 'TOKEN_A', accounts: ['north'] };
const environment = {
  NORTH_KEY: 'the-key-of-north',
  ACADEMY_KEY_OF_SOUTH: 'the-key-of-south',
  TOKEN_A: 'a-token-of-24-characters-or-more',
  TOKEN_B: 'another-token-of-24-characters-or-more',
};

function write(content: unknown, path = join(temporaryFolder(), 'accounts.json')): string {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function load(content: unknown, more: Record<string, string> = {}, flags: SettingSources['flags'] = {}) {
  return loadAccounts(write(content), { flags, environment: { ...environment, ...more }, command: 'http' });
}

/** The problem without the path of the file, which every message of the file begins with. */
const refusal = (work: () => unknown) => thrownBy(work, 'SettingsError').message.replace(/\S+\/accounts\.json: /, '');

test('each account has the settings of the program and its own', () => {
  const fields = {
    auth_scheme: 'token',
    rate_limit: 300,
    rate_share: 0.5,
    timezone: 'Europe/Lisbon',
    toolsets: ['orders', 'students'],
    read_only: true,
    confirm: 'human',
  };
  const { accounts } = load({ accounts: [north, { ...south, ...fields }] }, { ACADEMY_TIMEZONE: 'Asia/Tokyo' });
  const [first, second] = accounts.list.map(({ config }) => config);
  expect(first).toMatchObject({
    apiKey: 'the-key-of-north',
    rateLimit: 'auto',
    timezone: 'Asia/Tokyo',
    readOnly: false,
  });
  expect(second).toMatchObject({
    apiKey: 'the-key-of-south',
    authScheme: 'token',
    rateLimit: 300,
    rateShare: 0.5,
    timezone: 'Europe/Lisbon',
    toolsets: ['orders', 'students'],
    readOnly: true,
    confirm: 'human',
  });
  expect(second?.baseUrl.href).toBe('https://south.academy.test/');
});

test('restrictions of the program hold for every account', () => {
  const settings = { ACADEMY_READ_ONLY: 'true', ACADEMY_TOOLSETS: 'orders,courses' };
  const { accounts } = load(
    {
      accounts: [
        { ...north, read_only: false },
        { ...south, toolsets: ['orders', 'access'] },
      ],
    },
    settings,
  );
  expect(accounts.list.map(({ config }) => [config.readOnly, config.toolsets])).toEqual([
    [true, ['orders', 'courses']],
    [true, ['orders']],
  ]);
  const none = { accounts: [{ ...north, toolsets: ['access'] }, south] };
  expect(refusal(() => load(none, settings))).toBe('accounts[0].toolsets has none of those of ACADEMY_TOOLSETS');
});

/** A file of one account that has a wrong field, and what is said of it. */
const one = (fields: object, message: string): [file: unknown, message: string] => [
  { accounts: [{ ...north, ...fields }] },
  `accounts[0]${message}`,
];

/** The same of its caller. */
const oneCaller = (fields: object, message: string): [file: unknown, message: string] => [
  { accounts: [north], callers: [{ ...caller, ...fields }] },
  `callers[0]${message}`,
];

test('a file that is wrong is refused with the path of the field and the reason', () => {
  const wrong: [file: unknown, message: string][] = [
    ['{', 'is not JSON'],
    ['[]', 'must be an object'],
    [{}, 'accounts must be a list of accounts'],
    [{ accounts: [{}] }, 'accounts[0].name must be a name'],
    [{ accounts: [] }, 'accounts must have at least one account'],
    [{ accounts: {} }, 'accounts must be a list of accounts'],
    one({ name: 'The North' }, '.name must be 1 to 40 lower-case letters'),
    [{ accounts: [north, { ...south, name: 'north' }] }, 'accounts[1].name is the same as accounts[0].name'],
    [
      { accounts: [north, { ...south, base_url: 'https://North.academy.test//' }] },
      'accounts[1].base_url is the same as accounts[0].base_url',
    ],
    one({ base_url: 'http://north.academy.test' }, '.base_url must be https'),
    one({ base_url: 'https://north.example.com' }, '.base_url is still the address of an example'),
    one({ api_key: 'x' }, ' must not have the field api_key; the fields are name, base_url, api_key_env'),
    one({ api_key_env: undefined }, ' must have either api_key_env or api_key_file'),
    one({ api_key_file: 'key' }, ' must have either api_key_env or api_key_file'),
    one({ api_key_env: 'no variable' }, '.api_key_env must be the name of a variable'),
    one({ readonly: true }, ' must not have the field readonly; the fields are name, base_url'),
    one({ read_only: 'yes' }, '.read_only must be true or false'),
    one(
      { timezone: 'Lisabon' },
      '.timezone must be an IANA time zone such as UTC or Europe/Lisbon. Did you mean Europe/Lisbon?',
    ),
    one({ rate_limit: 0 }, '.rate_limit must be auto, off or a whole number'),
    [
      { accounts: [{ ...north, rate_limit: 'off' }, south] },
      'accounts[0].rate_limit must not be off for an academy on another machine',
    ],
    one({ rate_share: 2 }, '.rate_share must be above 0 and at most 1'),
    one({ confirm: 'always' }, '.confirm must be one of auto, argument'),
    one({ toolsets: ['stundents'] }, '.toolsets must contain only toolsets, not "stundents"'),
    one({ toolsets: [] }, '.toolsets must be a list of toolsets'),
    oneCaller({ accounts: ['nort'] }, '.accounts[0] names no account. Did you mean north?'),
    oneCaller({ accounts: [] }, '.accounts must name at least one account'),
    oneCaller({ token_env: undefined }, ' must have either token_env or token_file'),
    oneCaller({ name: 'Anna B' }, '.name must have at most 32 characters'),
    oneCaller({ token: 'x' }, ' must not have the field token; the fields'),
    [{ accounts: [north], callers: [caller, caller] }, 'callers[1].token is the same as callers[0].token'],
    [{ accounts: [north], oauth_claim: '' }, 'oauth_claim must be the name of a claim'],
    [{ accounts: [north], extra: 1 }, 'must not have the field extra'],
  ];
  for (const [file, message] of wrong)
    expect(
      refusal(() => load(file)),
      JSON.stringify(file),
    ).toContain(message);
});

test('a secret that cannot be read is named by its field, without its value', () => {
  const accounts = [north];
  expect(refusal(() => load({ accounts }, { NORTH_KEY: '' }))).toBe('accounts[0].api_key_env: NORTH_KEY is not set');
  expect(refusal(() => load({ accounts }, { NORTH_KEY: 'two words' }))).toBe(
    'accounts[0].api_key_env: NORTH_KEY must be only the key, without spaces or quotes',
  );
  expect(refusal(() => load({ accounts }, { NORTH_KEY: 'your-api-key' }))).toContain('placeholder of an example');
  expect(refusal(() => load({ accounts, callers: [caller] }, { TOKEN_A: 'short-secret' }))).toMatch(
    /^callers\[0\]\.token_env: TOKEN_A must have at least 24 characters(?!.*short-secret)/,
  );
  const file = { accounts: [{ name: 'north', base_url: north.base_url, api_key_file: 'no-such-file' }] };
  expect(refusal(() => load(file))).toContain('accounts[0].api_key_file names a file that cannot be used: there is no');
});

test('a key file is found from the folder of the accounts file', () => {
  const place = temporaryFolder();
  writeFileSync(join(place, 'north.key'), 'the-key-in-a-file\n');
  const { name, base_url } = north;
  const path = write({ accounts: [{ name, base_url, api_key_file: 'north.key' }] }, join(place, 'accounts.json'));
  const { accounts } = loadAccounts(path, { flags: {}, environment: {} });
  expect(accounts.list[0]?.config.apiKey).toBe('the-key-in-a-file');
});

test('address, key and tokens of the settings cannot be set beside an accounts file', () => {
  const file = { accounts: [north] };
  for (const name of ['ACADEMY_BASE_URL', 'ACADEMY_API_KEY', 'ACADEMY_API_KEY_FILE', 'ACADEMY_HTTP_TOKENS'])
    expect(refusal(() => load(file, { [name]: 'x' }))).toBe(
      `${name} cannot be set together with ACADEMY_ACCOUNTS_FILE`,
    );
  expect(refusal(() => load(file, {}, { baseUrl: 'https://a.academy.test' }))).toMatch(/^--base-url cannot be set/);
});

test('only variables that the file names are known', () => {
  expect(load({ accounts: [north, south] }).accounts.list.length).toBe(2);
  expect(refusal(() => load({ accounts: [north] }))).toBe('ACADEMY_KEY_OF_SOUTH is not a setting');
  expect(refusal(() => load({ accounts: [north, south] }, { ACADEMY_TIMEZON: 'UTC' }))).toBe(
    'ACADEMY_TIMEZON is not a setting',
  );
});

test('tokens are read only for HTTP', () => {
  const file = { accounts: [north, south], callers: [caller, { token_env: 'UNSET', accounts: ['south'] }] };
  const { config } = loadAccounts(write(file), { flags: {}, environment });
  expect(config.httpTokens).toEqual([]);
  expect(refusal(() => load(file))).toBe('callers[1].token_env: UNSET is not set');
});

test('a file that cannot be read is an error that names it', () => {
  expect(() => loadAccounts('/no/such/file.json', { flags: {}, environment })).toThrow(
    'ACADEMY_ACCOUNTS_FILE: /no/such/file.json cannot be read (ENOENT)',
  );
  expect(() => loadAccounts('/path/to/accounts.json', { flags: {}, environment })).toThrow('placeholder of an example');
});

test('no printed form of the accounts shows a secret', () => {
  const loaded = load(
    { accounts: [north, south], callers: [caller] },
    { ACADEMY_CONFIRM_SECRET: 'a-secret-of-32-characters' },
  );
  const shown = [loaded.config, ...loaded.accounts.list].map(
    (each) => JSON.stringify(each) + inspect(each, { depth: 9 }),
  );
  for (const secret of ['the-key-of-north', 'the-key-of-south', environment.TOKEN_A, 'a-secret-of-32-characters'])
    expect(shown.join('')).not.toContain(secret);
});

test('accounts with one secret for confirmations have different ones of their own', () => {
  const { config, accounts } = load(
    { accounts: [north, south] },
    { ACADEMY_CONFIRM_SECRET: 'a-secret-of-32-characters' },
  );
  const secrets = [config, ...accounts.list.map((account) => account.config)].map(({ confirmSecret }) => confirmSecret);
  expect(new Set(secrets).size).toBe(3);
});

const secretOf = (letter: string) => letter.repeat(32);

function eventSettings(content: unknown, more: Record<string, string> = {}) {
  const { accounts } = load(content, more);
  return accounts.list.map(({ config: { webhookSecret, eventsFile } }) => ({ webhookSecret, eventsFile }));
}

test('one webhook secret and one events file of the program become one of each for every account', () => {
  const settings = {
    ACADEMY_WEBHOOK_SECRET: `${secretOf('a')},${secretOf('b')}`,
    ACADEMY_EVENTS_FILE: '/var/events.jsonl',
  };
  const found = eventSettings({ accounts: [north, south] }, settings);
  expect(found.map(({ eventsFile }) => eventsFile)).toEqual(['/var/events.north.jsonl', '/var/events.south.jsonl']);
  const secrets = found.flatMap(({ webhookSecret }) => webhookSecret);
  expect(secrets).toHaveLength(4);
  expect(new Set([...secrets, secretOf('a'), secretOf('b')]).size).toBe(6);
  for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{64}$/);
  // The addresses are pasted into the platform, so they stay the same after a restart.
  expect(eventSettings({ accounts: [south, north] }, settings).reverse()).toEqual(found);
});

test('an account can have a webhook secret of its own', () => {
  const place = temporaryFolder();
  writeFileSync(join(place, 'south.secret'), `${secretOf('c')}\n`);
  const accounts = [
    { ...north, webhook_secret_env: 'WEBHOOKS_OF_NORTH' },
    { ...south, webhook_secret_file: 'south.secret' },
  ];
  const path = write({ accounts }, join(place, 'accounts.json'));
  const two = `${secretOf('a')},${secretOf('b')}`;
  const sources = { flags: {}, environment: { ...environment, WEBHOOKS_OF_NORTH: two }, command: 'http' } as const;
  const [first, second] = loadAccounts(path, sources).accounts.list.map(({ config }) => config);
  expect(first).toMatchObject({ webhookSecret: [secretOf('a'), secretOf('b')] });
  expect(second).toMatchObject({ webhookSecret: [secretOf('c')] });
});

test('a webhook secret that is missing, wrong or that of another account is refused', () => {
  const one = { ...north, webhook_secret_env: 'ONE' };
  const another = { ...south, webhook_secret_env: 'ANOTHER' };
  const of = (accounts: object[], more = {}) => refusal(() => load({ accounts }, more));
  expect(of([one, south])).toBe('accounts[0].webhook_secret_env: ONE is not set');
  expect(of([one, south], { ONE: 'short' })).toMatch(
    /^accounts\[0\]\.webhook_secret_env: ONE must be one or two secrets/,
  );
  expect(of([one, another], { ONE: secretOf('a'), ANOTHER: `${secretOf('b')},${secretOf('a')}` })).toBe(
    'accounts[1].webhook_secret is the same as accounts[0].webhook_secret',
  );
  expect(of([{ ...one, webhook_secret_file: 'secret' }, south])).toBe(
    'accounts[0] must have only webhook_secret_env or webhook_secret_file',
  );
  expect(of([{ ...north, webhook_secret: secretOf('a') }, south])).toContain('must not have the field webhook_secret');
});

test('a client on stdin and stdout needs no webhook secret', () => {
  const file = write({ accounts: [{ ...north, webhook_secret_env: 'UNSET' }, south] });
  const { accounts } = loadAccounts(file, { flags: {}, environment });
  expect(accounts.list.map(({ config }) => config.webhookSecret)).toEqual([[], []]);
});
