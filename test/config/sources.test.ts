import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Environment } from '../../src/config/load.ts';
import { type Config, loadConfig } from '../../src/config/load.ts';
import { fileVariableOf, isSecret, type Setting, settings } from '../../src/config/settings.ts';
import { thrownBy } from '../support/refusal.ts';
import { temporaryFolder } from '../support/sandbox.ts';

const address = { ACADEMY_BASE_URL: 'https://school.test' };

function fileWith(content: string): string {
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, content);
  return file;
}

function refusal(environment: Record<string, string>): string {
  const { message, hint = '' } = thrownBy(() => loadConfig({}, { ...address, ...environment }), 'SettingsError');
  return `${message} ${hint}`.trim();
}

test('every secret can come from a file, without the line break at its end', () => {
  const secret = 'abcdefghijklmnopqrstuvwxyz012345';
  // Its value is an address.
  const redis = settings.redisUrl.env;
  const secrets = Object.values<Setting>(settings).filter((each) => isSecret(each) && each.env !== redis);
  expect(secrets.length).toBeGreaterThan(3);
  for (const end of ['', '\n', '\r\n']) {
    const environment = Object.fromEntries(secrets.map((setting) => [fileVariableOf(setting), fileWith(secret + end)]));
    const { apiKey, confirmSecret, httpTokens, metricsToken } = loadConfig({}, { ...address, ...environment });
    expect({ apiKey, confirmSecret, httpTokens, metricsToken }).toEqual({
      apiKey: secret,
      confirmSecret: secret,
      httpTokens: [{ token: secret }],
      metricsToken: secret,
    });
  }
});

test('the address of Redis can come from a file', () => {
  const environment = { ACADEMY_REDIS_URL_FILE: fileWith('redis://:password@redis:6379/1\n'), ACADEMY_REPLICAS: '3' };
  const config = loadConfig({}, { ...address, ACADEMY_API_KEY: 'key', ...environment });
  expect(config.redisUrl).toBe('redis://:password@redis:6379/1');
  expect(JSON.stringify(config)).not.toContain('password');
});

test('a secret that a container runtime mounts with mode 0444 is read', () => {
  const file = fileWith('key-1');
  chmodSync(file, 0o444);
  expect(loadConfig({}, { ...address, ACADEMY_API_KEY_FILE: file }).apiKey).toBe('key-1');
});

test('a variable and its file are not both accepted, and an empty one counts as not set', () => {
  const file = fileWith('key-1');
  expect(refusal({ ACADEMY_API_KEY: 'key-2', ACADEMY_API_KEY_FILE: file })).toBe(
    'ACADEMY_API_KEY and ACADEMY_API_KEY_FILE are both set Set only one.',
  );
  expect(loadConfig({}, { ...address, ACADEMY_API_KEY: '', ACADEMY_API_KEY_FILE: file }).apiKey).toBe('key-1');
  expect(loadConfig({}, { ...address, ACADEMY_API_KEY: 'key-2', ACADEMY_API_KEY_FILE: '' }).apiKey).toBe('key-2');
});

test('a file that cannot be used is one line that names the variable and not the path', () => {
  const path = temporaryFolder();
  mkdirSync(join(path, 'folder'));
  const cases: [file: string, problem: string][] = [
    [join(path, 'none'), 'there is no such file'],
    [join(path, 'folder'), 'it is not a regular file'],
    [fileWith(''), 'it is empty'],
    [fileWith('\n'), 'it is empty'],
    [fileWith('k'.repeat(65_537)), 'it has more than 64 KiB'],
  ];
  for (const [file, problem] of cases) {
    const said = refusal({ ACADEMY_API_KEY_FILE: file });
    expect(said).toBe(`ACADEMY_API_KEY_FILE names a file that cannot be used: ${problem}`);
  }
});

test.skipIf(platform() === 'win32')('a pipe is refused without waiting for a writer', () => {
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(refusal({ ACADEMY_API_KEY_FILE: pipe })).toContain('it is not a regular file');
});

test('an invalid secret in a file is refused by the rule of its setting, without repeating it', () => {
  expect(refusal({ ACADEMY_API_KEY_FILE: fileWith('two words') })).toBe(
    'the content of ACADEMY_API_KEY_FILE must be only the key, without spaces or quotes',
  );
});

test('a setting that is not a secret has no file', () => {
  expect(refusal({ ACADEMY_API_KEY: 'k', ACADEMY_BASE_URL_FILE: '/x' })).toMatch(
    /^ACADEMY_BASE_URL_FILE is not a setting/,
  );
  expect(refusal({ ACADEMY_API_KEY: 'k', ACADEMY_APIKEY_FILE: '/x' })).toMatch(/Did you mean ACADEMY_API_KEY_FILE\?$/);
});

const complete = { ACADEMY_BASE_URL: 'https://school.test', ACADEMY_API_KEY: 'secret-key-1' };

function loadHttp(environment: Environment): Config {
  return loadConfig({}, { ...complete, ...environment }, 'http');
}

/** What Kubernetes adds for the services academy-http and academy-api, one of them with an IPv6 address. */
const added = {
  ACADEMY_HTTP_SERVICE_HOST: '10.0.0.7',
  ACADEMY_HTTP_SERVICE_PORT: '3000',
  ACADEMY_HTTP_SERVICE_PORT_HTTP_MAIN: '3000',
  ACADEMY_HTTP_PORT: 'tcp://10.0.0.7:3000',
  ACADEMY_HTTP_PORT_3000_TCP: 'tcp://10.0.0.7:3000',
  ACADEMY_HTTP_PORT_3000_TCP_PROTO: 'tcp',
  ACADEMY_HTTP_PORT_3000_TCP_PORT: '3000',
  ACADEMY_HTTP_PORT_3000_TCP_ADDR: '10.0.0.7',
  ACADEMY_API_SERVICE_HOST: 'fd00::7',
  ACADEMY_API_SERVICE_PORT: '53',
  ACADEMY_API_PORT: 'udp://[fd00::7]:53',
  ACADEMY_API_PORT_53_UDP: 'udp://[fd00::7]:53',
  ACADEMY_API_PORT_53_UDP_PROTO: 'udp',
  ACADEMY_API_PORT_53_UDP_PORT: '53',
  ACADEMY_API_PORT_53_UDP_ADDR: 'fd00::7',
  ACADEMY_API_PORT_9_SCTP: 'sctp://[fd00::7]:9',
};

test('the variables that Kubernetes adds for services are ignored', () => {
  expect(loadHttp(added).httpPort).toBe(3000);
  expect(loadHttp({ ...added, PORT: '8080' }).httpPort).toBe(8080);
});

test('a port that a person sets counts, and a misspelled one is refused', () => {
  expect(loadHttp({ ACADEMY_HTTP_PORT: '4000' }).httpPort).toBe(4000);
  expect(() => loadHttp({ ACADEMY_HTP_PORT: '4000' })).toThrow('ACADEMY_HTP_PORT is not a setting');
  for (const [name, value] of [
    ['ACADEMY_HTTP_PORT_TCP', 'tcp://10.0.0.7:3000'],
    ['ACADEMY_HTP_PORT', 'http://10.0.0.7:3000'],
  ] as const)
    expect(() => loadHttp({ [name]: value }), name).toThrow(`${name} is not a setting`);
});

test('PORT counts only for the HTTP server, and only without a port of our own', () => {
  expect(loadHttp({ PORT: '8080' }).httpPort).toBe(8080);
  expect(loadHttp({ PORT: '' }).httpPort).toBe(3000);
  expect(loadHttp({ PORT: '8080', ACADEMY_HTTP_PORT: '4000' }).httpPort).toBe(4000);
  expect(loadConfig({ httpPort: '5000' }, { ...complete, PORT: '8080' }, 'http').httpPort).toBe(5000);
  expect(() => loadHttp({ PORT: 'main' })).toThrow('PORT must be a whole number from 0 to 65535');
  expect(loadConfig({}, { ...complete, PORT: 'main' }).httpPort).toBe(3000);
});
