import { expect, test } from 'vitest';
import type { Environment, Flags } from '../../src/config/load.ts';
import { FlagError, loadConfig } from '../../src/config/load.ts';
import { type SettingName, settings } from '../../src/config/settings.ts';
import { thrownBy } from '../support/refusal.ts';

const complete = { ACADEMY_BASE_URL: 'https://academy.example.com', ACADEMY_API_KEY: 'secret-key-1' };

const refused = (environment: Environment, flags: Flags = {}) =>
  thrownBy(() => loadConfig(flags, environment), 'SettingsError');

function refusal(environment: Environment, flags: Flags = {}): string {
  const { message, hint = '' } = refused(environment, flags);
  return `${message} ${hint}`.trim();
}

test('the defaults match the README', () => {
  const { baseUrl, ...config } = loadConfig({}, complete);
  expect(baseUrl.href).toBe('https://academy.example.com/');
  expect({ ...config }).toEqual({
    apiKey: 'secret-key-1',
    accountsFile: undefined,
    authScheme: 'bearer',
    readOnly: false,
    toolsets: undefined,
    confirm: 'auto',
    requireInteraction: 'auto',
    confirmSecret: undefined,
    lockdown: false,
    auditLog: undefined,
    rateLimit: 'auto',
    rateShare: 0.9,
    mirror: 'off',
    journal: 'off',
    mirrorShare: 0.3,
    exportDir: undefined,
    importDir: undefined,
    timezone: 'UTC',
    maxWaitMs: 45_000,
    timeoutMs: 30_000,
    quarantineMs: 120_000,
    preflight: true,
    httpHost: '127.0.0.1',
    ui: true,
    httpPort: 3000,
    httpTokens: [],
    httpAllowedHosts: undefined,
    httpAllowedOrigins: [],
    httpRateLimit: 600,
    httpMaxInFlight: 256,
    redisUrl: undefined,
    redisPrefix: 'academy-mcp',
    replicas: undefined,
    metricsToken: undefined,
    oauthIssuer: undefined,
    oauthAudience: undefined,
    oauthScopeClaim: undefined,
    webhookSecret: [],
    webhookSources: [],
    trustedProxies: [],
    eventsFile: undefined,
    logLevel: 'warn',
  });
});

/** Invalid values for each setting, and the message that a person reads. */
const wrong: Record<SettingName, [value: string, message: RegExp][]> = {
  baseUrl: [
    ['academy', /^ACADEMY_BASE_URL must be a URL such as https:/],
    ['http://academy.example.com', /^ACADEMY_BASE_URL must be https/],
    ['ftp://academy.example.com', /must start with https/],
    ['https://me:pw@academy.example.com', /must not contain a user name or password/],
    ['https://academy.example.com?x=1', /must not contain a query/],
    ['https://academy.example.com#x', /must not contain a query or a fragment/],
    ['https://academy.example.com/api/v1', /must not end in \/api or \/api\/v1/],
    ['http://127.0.0.1.evil.example', /must be https/],
    ['http://localhost.evil.example', /must be https/],
  ],
  apiKey: [
    ['two words', /^ACADEMY_API_KEY must be only the key/],
    ['"quoted key"', /ACADEMY_API_KEY/],
    ['k\r\nX: y', /ACADEMY_API_KEY/],
  ],
  accountsFile: [],
  importDir: [],
  ui: [['true', /^ACADEMY_UI must be on or off$/]],
  httpHost: [
    ['http://0.0.0.0', /^ACADEMY_HTTP_HOST must be an address or a host name/],
    ['0.0.0.0/0', /^ACADEMY_HTTP_HOST/],
  ],
  httpPort: [
    ['x', /^ACADEMY_HTTP_PORT must be a whole number from 0 to 65535$/],
    ['65536', /^ACADEMY_HTTP_PORT/],
    ['3000/tcp', /^ACADEMY_HTTP_PORT/],
  ],
  httpTokens: [
    ['short', /^ACADEMY_HTTP_TOKENS must be tokens of at least 24 characters/],
    [`${'a'.repeat(24)},short`, /^ACADEMY_HTTP_TOKENS must be tokens of at least 24/],
    [`${'a'.repeat(24)} b`, /^ACADEMY_HTTP_TOKENS/],
  ],
  httpAllowedHosts: [
    ['https://mcp.example.com', /^ACADEMY_HTTP_ALLOWED_HOSTS must be host names in lower case/],
    ['mcp.example.com/', /^ACADEMY_HTTP_ALLOWED_HOSTS/],
    [',', /^ACADEMY_HTTP_ALLOWED_HOSTS/],
  ],
  httpAllowedOrigins: [
    ['app.example.com', /^ACADEMY_HTTP_ALLOWED_ORIGINS must be origins/],
    ['https://app.example.com/', /^ACADEMY_HTTP_ALLOWED_ORIGINS/],
    ['null', /^ACADEMY_HTTP_ALLOWED_ORIGINS/],
  ],
  httpRateLimit: [
    ['0', /^ACADEMY_HTTP_RATE_LIMIT must be off or a whole number/],
    ['many', /^ACADEMY_HTTP_RATE_LIMIT/],
  ],
  httpMaxInFlight: [['0', /^ACADEMY_HTTP_MAX_IN_FLIGHT must be a whole number of requests from 1/]],
  httpDrainMs: [['-1', /^ACADEMY_HTTP_DRAIN_MS must be a whole number of milliseconds from 0 to 120000/]],
  redisUrl: [
    ['redis.example.com:6379', /^ACADEMY_REDIS_URL must be a URL such as redis:/],
    ['https://redis.example.com', /^ACADEMY_REDIS_URL must be a URL such as redis:/],
    ['redis://redis.example.com', /^ACADEMY_REDIS_URL and ACADEMY_REPLICAS must be set together/],
  ],
  redisPrefix: [['a:b', /^ACADEMY_REDIS_PREFIX must have 1 to 64 letters/]],
  replicas: [
    ['0', /^ACADEMY_REPLICAS must be a whole number of replicas from 1 to 1000/],
    ['4', /^ACADEMY_REDIS_URL and ACADEMY_REPLICAS must be set together/],
  ],
  metricsToken: [['short', /^ACADEMY_METRICS_TOKEN must have at least 24 characters/]],
  oauthIssuer: [
    ['http://login.example.com', /^ACADEMY_OAUTH_ISSUER must be an https URL/],
    ['https://login.example.com?x=1', /^ACADEMY_OAUTH_ISSUER/],
    ['login', /^ACADEMY_OAUTH_ISSUER/],
  ],
  oauthAudience: [],
  oauthScopeClaim: [],
  authScheme: [['basic', /^ACADEMY_AUTH_SCHEME must be one of bearer, token/]],
  readOnly: [['yes', /^ACADEMY_READ_ONLY must be true or false/]],
  toolsets: [
    [
      'orders,stundents',
      /^ACADEMY_TOOLSETS must contain only toolsets, not "stundents"; the toolsets are account, .*access/,
    ],
    [',', /must contain only toolsets/],
  ],
  confirm: [['sometimes', /^ACADEMY_CONFIRM must be one of auto, argument, preview, human, block/]],
  requireInteraction: [['true', /^ACADEMY_REQUIRE_INTERACTION must be one of auto, on, off/]],
  rateLimit: [
    ['0', /^ACADEMY_RATE_LIMIT must be auto, off or a whole number/],
    ['-5', /ACADEMY_RATE_LIMIT/],
    ['1.5', /ACADEMY_RATE_LIMIT/],
  ],
  rateShare: [
    ['0', /^ACADEMY_RATE_SHARE must be above 0/],
    ['1.1', /ACADEMY_RATE_SHARE/],
    ['half', /ACADEMY_RATE_SHARE/],
  ],
  journal: [['jornal', /ACADEMY_JOURNAL must be off, memory or the path of a file/]],
  mirror: [
    ['on', /^ACADEMY_MIRROR must be off, memory or the path of a file/],
    ['mirror', /ACADEMY_MIRROR/],
  ],
  exportDir: [],
  mirrorShare: [
    ['0', /^ACADEMY_MIRROR_SHARE must be above 0/],
    ['2', /ACADEMY_MIRROR_SHARE/],
  ],
  timezone: [
    ['Lisabon', /^ACADEMY_TIMEZONE must be an IANA time zone/],
    ['+02:00', /^ACADEMY_TIMEZONE/],
  ],
  maxWaitMs: [['1s', /^ACADEMY_MAX_WAIT_MS must be a whole number of milliseconds from 0/]],
  timeoutMs: [
    ['99', /^ACADEMY_TIMEOUT_MS must be a whole number of milliseconds from 100/],
    ['9999999', /to 600000/],
  ],
  confirmSecret: [['short', /^ACADEMY_CONFIRM_SECRET must have at least 16 characters/]],
  lockdown: [['on', /^ACADEMY_LOCKDOWN must be true or false/]],
  auditLog: [],
  eventsFile: [],
  webhookSecret: [
    ['a'.repeat(31), /^ACADEMY_WEBHOOK_SECRET must be one or two secrets of 32 to 128 letters/],
    ['a/'.repeat(20), /^ACADEMY_WEBHOOK_SECRET must be one or two secrets/],
    [
      ['a', 'b', 'c'].map((letter) => letter.repeat(32)).join(),
      /^ACADEMY_WEBHOOK_SECRET must have at most two secrets/,
    ],
  ],
  webhookSources: [
    ['example.com', /^ACADEMY_WEBHOOK_SOURCES must be IP addresses or networks/],
    ['10.0.0.0/33', /^ACADEMY_WEBHOOK_SOURCES must be IP addresses or networks/],
    ['2001:db8::/129', /^ACADEMY_WEBHOOK_SOURCES must be/],
    ['10.0.0.0/8/8', /^ACADEMY_WEBHOOK_SOURCES must be/],
    ['10.0.0.0/', /^ACADEMY_WEBHOOK_SOURCES must be/],
  ],
  trustedProxies: [['10.0.0', /^ACADEMY_TRUSTED_PROXIES must be IP addresses or networks/]],
  quarantineMs: [['-1', /^ACADEMY_QUARANTINE_MS must be a whole number/]],
  preflight: [['1', /^ACADEMY_PREFLIGHT must be true or false/]],
  logLevel: [['loud', /^LOG_LEVEL must be one of trace/]],
};

test.for([
  ['ACADEMY_BASE_URL', 'academy.example.com', 'baseUrl', 'https://academy.example.com/'],
  ['ACADEMY_BASE_URL', ' https://academy.example.com\n', 'baseUrl', 'https://academy.example.com/'],
  ['ACADEMY_BASE_URL', 'localhost:4010', 'baseUrl', 'http://localhost:4010/'],
  ['ACADEMY_API_KEY', 'key-1\r\n', 'apiKey', 'key-1'],
  ['ACADEMY_TIMEZONE', '  ', 'timezone', 'UTC'],
] as const)('%s=%j is read as what was meant', ([env, value, name, meant]) => {
  expect(String(loadConfig({}, { ...complete, [env]: value })[name])).toBe(meant);
});

test('an invalid value of any setting is refused in one line that names the setting and the rule', () => {
  for (const [name, cases] of Object.entries(wrong) as [SettingName, [string, RegExp][]][]) {
    for (const [value, message] of cases) {
      const said = refusal({ ...complete, [settings[name].env]: value });
      expect(said, value).toMatch(message);
      expect(said).not.toContain('\n');
    }
  }
});

test('every setting has a case above', () => {
  expect(Object.keys(wrong).sort()).toEqual(Object.keys(settings).sort());
});

test('an error about an invalid key does not repeat it', () => {
  expect(refusal({ ...complete, ACADEMY_API_KEY: 'top secret' })).not.toContain('secret');
  expect(refusal({ ...complete, ACADEMY_BASE_URL: 'sk-live-1234' })).not.toContain('sk-live-1234');
});

test('an error names a missing setting and suggests the sandbox', () => {
  expect(refusal({})).toBe(
    'ACADEMY_BASE_URL is not set Set it, or start academy-mcp --sandbox to try the embedded academy.',
  );
  expect(refusal({ ACADEMY_BASE_URL: complete.ACADEMY_BASE_URL })).toMatch(/^ACADEMY_API_KEY is not set/);
  expect(refusal({ ...complete, ACADEMY_API_KEY: '' })).toMatch(/^ACADEMY_API_KEY is not set/);
});

test('an unknown ACADEMY_ variable is refused with the closest match', () => {
  expect(refusal({ ...complete, ACADEMY_BASEURL: 'x' })).toBe(
    'ACADEMY_BASEURL is not a setting Did you mean ACADEMY_BASE_URL?',
  );
  expect(refusal({ ...complete, ACADEMY_READONLY: 'true' })).toMatch(/ACADEMY_READ_ONLY\?$/);
  expect(refusal({ ...complete, ACADEMY_KEY: 'x' })).toMatch(/ACADEMY_API_KEY\?$/);
  expect(refusal({ ...complete, ACADEMY_LOG_LEVEL: 'info' })).toMatch(/mean LOG_LEVEL\?$/);
  expect(loadConfig({}, { ...complete, HOME: '/x', ACADEMYX: 'fine' }).readOnly).toBe(false);
});

test('an unknown variable without a close match points to --help', () => {
  for (const name of ['ACADEMY_FOO_BAR_BAZ_QUX', 'ACADEMY_PROXY', 'ACADEMY_', 'ACADEMY_X']) {
    expect(refusal({ ...complete, [name]: 'x' })).toBe(
      `${name} is not a setting academy-mcp --help lists the settings.`,
    );
  }
});

test('a flag that takes true or false says so', () => {
  expect(settings.preflight.value).toBe('true-or-false');
});

test('a flag wins over its variable and is named in errors', () => {
  const environment = { ...complete, ACADEMY_RATE_SHARE: '0.5', ACADEMY_READ_ONLY: 'false' };
  expect(loadConfig({ rateShare: '0.7', readOnly: 'true' }, environment)).toMatchObject({
    rateShare: 0.7,
    readOnly: true,
  });
  expect(refusal(environment, { rateShare: '7' })).toMatch(/^--rate-share must be above 0/);
});

test('values are converted to their types', () => {
  const config = loadConfig(
    {},
    {
      ...complete,
      ACADEMY_BASE_URL: 'http://127.0.0.1:4010/blue/',
      ACADEMY_TOOLSETS: 'orders, students',
      ACADEMY_RATE_LIMIT: '300',
      ACADEMY_CONFIRM: 'block',
    },
  );
  expect(config).toMatchObject({ toolsets: ['orders', 'students'], rateLimit: 300, confirm: 'block' });
  expect(config.baseUrl.pathname).toBe('/blue/');
});

test('the rate limit can be off only for an academy on this machine', () => {
  expect(refusal({ ...complete, ACADEMY_RATE_LIMIT: 'off' })).toMatch(/ACADEMY_RATE_LIMIT must not be off/);
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    const here = { ...complete, ACADEMY_BASE_URL: `http://${host}:4010`, ACADEMY_RATE_LIMIT: 'off' };
    expect(loadConfig({}, here).rateLimit).toBe('off');
  }
});

/** A misspelled value of a setting, and the value that was meant. */
const misspelled: [name: string, value: string, meant: string][] = [
  ['ACADEMY_TIMEZONE', 'Europe/Lisabon', 'Europe/Lisbon'],
  ['ACADEMY_TIMEZONE', 'lisabon', 'Europe/Lisbon'],
  ['ACADEMY_TIMEZONE', 'New Yorc', 'America/New_York'],
  ['ACADEMY_TOOLSETS', 'orders,stundents', 'students'],
  ['ACADEMY_TOOLSETS', 'Orders', 'orders'],
  ['ACADEMY_CONFIRM', 'humans', 'human'],
  ['LOG_LEVEL', 'warning', 'warn'],
  ['LOG_LEVEL', 'DEBUG', 'debug'],
  ['ACADEMY_AUTH_SCHEME', 'Bearer', 'bearer'],
];

test.for(misspelled)('%s=%s suggests %s', ([name, value, meant]) => {
  expect(refused({ ...complete, [name]: value }).message).toMatch(
    new RegExp(`^${name} .*\\. Did you mean ${meant}\\?$`),
  );
});

test('a value that resembles none suggests none and is not repeated', () => {
  for (const name of ['ACADEMY_TIMEZONE', 'ACADEMY_TOOLSETS', 'ACADEMY_CONFIRM', 'LOG_LEVEL']) {
    for (const value of ['zz-live-4242424242', 'z'.repeat(100_000)]) {
      const { message } = refused({ ...complete, [name]: value });
      expect(message).not.toContain('Did you mean');
      expect(message).not.toContain(value);
    }
  }
});

test('a wrong value of a flag is wrong usage, and one of a variable is not', () => {
  expect(refused(complete, { timezone: 'Europe/Lisabon' })).toBeInstanceOf(FlagError);
  expect(refused(complete, { timezone: 'Europe/Lisabon' }).message).toMatch(
    /^--timezone .* Did you mean Europe\/Lisbon\?$/,
  );
  expect(refused(complete, { rateLimit: 'off' })).toBeInstanceOf(FlagError);
  expect(refused(complete, { rateLimit: 'off' }).message).toMatch(/^--rate-limit must not be off/);
  expect(refused({ ...complete, ACADEMY_TIMEZONE: 'Europe/Lisabon' })).not.toBeInstanceOf(FlagError);
  expect(refused({ ...complete, ACADEMY_RATE_LIMIT: 'off' })).not.toBeInstanceOf(FlagError);
});
