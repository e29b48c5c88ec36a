import { expect, test } from 'vitest';
import { type Config, loadConfig } from '../../src/config/load.ts';
import type { Environment } from '../../src/config/setting-sources.ts';

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
