import type { Guard } from './guard.ts';

const http = 'src/server/http';
const callerLimits = ['test/security/caller-limits.test.ts'];
const callers = ['test/security/caller-isolation.test.ts'];
const connections = ['test/security/connections.test.ts'];
const consent = ['test/security/confirmation.test.ts'];
const accessControl = ['test/security/access-control.test.ts'];
const oauth = ['test/security/oauth.test.ts'];

/** Guards that ordinary use never needs: high limits, a malicious issuer, timing attacks. */
export const rareGuards: readonly Guard[] = [
  {
    name: 'a token is compared in constant time',
    file: `${http}/auth/static-tokens.ts`,
    text: 'timingSafeEqual(sum, given)',
    instead: 'sum.equals(given)',
    tests: accessControl,
    only: 'S4',
  },
  {
    name: 'the metrics token is compared in constant time',
    file: `${http}/metrics-route.ts`,
    text: 'timingSafeEqual(sha256(authorization), expected)',
    instead: 'sha256(authorization).equals(expected)',
    tests: accessControl,
    only: 'S4',
  },
  {
    name: 'only listed signature algorithms are accepted',
    file: `${http}/auth/oauth.ts`,
    text: 'requirements = { algorithms, clockTolerance',
    instead: 'requirements = { clockTolerance',
    tests: oauth,
    only: 'S5',
  },
  {
    name: 'signing keys are fetched only over https',
    file: `${http}/auth/oauth-discovery.ts`,
    text: 'if (!isEncryptedOrLocal(keys))',
    instead: 'if (!keys)',
    tests: oauth,
    only: 'S5',
  },
  {
    name: 'requests to the issuer do not follow redirects',
    file: `${http}/auth/issuer-fetch.ts`,
    text: "redirect: 'error', dispatcher",
    instead: "redirect: 'follow', dispatcher",
    tests: oauth,
    only: 'S5',
  },
  {
    name: 'a code is valid for five minutes',
    file: 'src/mcp/confirmation/confirm-code.ts',
    text: 'const validFor = 5 * 60_000;',
    instead: 'const validFor = 50 * 60_000;',
    tests: consent,
    only: 'S15: a code is valid for five minutes',
  },
  {
    name: 'a caller has a maximum number of sessions',
    file: 'src/protocol/legacy/sessions.ts',
    text: 'perCaller: 100,',
    instead: 'perCaller: 10_000,',
    tests: callers,
    only: 'all callers at most 1,000',
  },
  {
    name: 'all callers together have a maximum number of sessions',
    file: 'src/protocol/legacy/sessions.ts',
    text: 'total: 1_000',
    instead: 'total: 10_000',
    tests: callers,
    only: 'all callers at most 1,000',
  },
  {
    name: 'the work for a disconnected client ends',
    file: 'src/protocol/http-response.ts',
    text: 'if (response.destroyed) callback();\n  else ',
    instead: '',
    tests: callerLimits,
    only: 'ends when its client disconnects',
  },
  {
    name: 'the number of connections has a maximum',
    file: `${http}/connections.ts`,
    text: 'if (open.size <= limits.connections) return;',
    instead: 'if (open.size > 0) return;',
    tests: connections,
    only: '512 connections',
  },
  {
    name: 'the headers of a request have a time limit',
    file: `${http}/listener.ts`,
    text: 'headersTimeout: 10_000',
    instead: 'headersTimeout: 60_000',
    tests: connections,
    only: 'an incomplete request is ended',
  },
  {
    name: 'a request has a time limit',
    file: `${http}/listener.ts`,
    text: 'requestTimeout: 30_000',
    instead: 'requestTimeout: 0',
    tests: connections,
    only: 'an incomplete request is ended',
  },
];
