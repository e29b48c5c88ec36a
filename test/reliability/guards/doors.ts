import type { Guard } from './guard.ts';

const doors = ['test/security/doors.test.ts'];
const oauth = ['test/security/oauth.test.ts'];
const upstream = ['test/security/upstream.test.ts'];
const callers = ['test/security/callers.test.ts'];
const callerLimits = ['test/security/caller-limits.test.ts'];
const consent = ['test/security/consent.test.ts'];

const guard = (only: string, name: string, file: string, text: string, instead: string, tests: string[]): Guard => ({
  name,
  file,
  text,
  instead,
  tests,
  only,
});

const http = 'src/transport/http';

/** What stands between the network and the academy: the requirements S1 to S21, as far as HTTP is concerned. */
export const doorGuards: readonly Guard[] = [
  guard(
    'S1',
    'a foreign Origin is refused',
    `${http}/guards.ts`,
    '!origins.includes(origin)',
    'origin === undefined',
    doors,
  ),
  guard('S2', 'a foreign Host is refused', `${http}/guards.ts`, 'if (!hosts.includes(host))', 'if (!hosts)', doors),
  guard(
    'S2',
    'there is one Host',
    `${http}/guards.ts`,
    'host === undefined || otherHosts.length > 0',
    'host === undefined',
    doors,
  ),
  {
    ...guard(
      'S3',
      'an open address wants authentication',
      `${http}/serve.ts`,
      'if (isLoopbackHost(host)) return;',
      'if (host !== undefined) return;',
      doors,
    ),
    // The program itself is started.
    isBuilt: true,
  },
  guard(
    'S4',
    'a token is compared whole',
    `${http}/static-tokens.ts`,
    'timingSafeEqual(sum, given)',
    'sum[0] === given[0] || given.length > 0',
    doors,
  ),
  guard(
    'S5',
    'the audience must be ours',
    `${http}/oauth.ts`,
    'const expected = { ...settings, algorithms',
    'const expected = { issuer: settings.issuer, algorithms',
    oauth,
  ),
  guard('S5', 'a token must expire', `${http}/oauth.ts`, "requiredClaims: ['exp']", 'requiredClaims: []', oauth),
  guard(
    'S5',
    'a token without a scope of ours is refused',
    `${http}/oauth.ts`,
    'held.size === 0',
    'held.size < 0',
    oauth,
  ),
  guard(
    'S5',
    'metadata speak for their issuer',
    `${http}/oauth-discovery.ts`,
    'data.issuer !== issuer',
    'data.issuer === undefined',
    oauth,
  ),
  guard(
    'S5',
    'scopes narrow what can be called',
    'src/mcp/service.ts',
    'if (!scopes.has(scopeOf(tool)))',
    'if (!scopes)',
    oauth,
  ),
  guard(
    'S5',
    'scopes narrow what is listed',
    'src/mcp/service.ts',
    'tools.filter((tool) => scopes.has(scopeOf(tool)))',
    'tools',
    oauth,
  ),
  guard(
    'S5',
    'a session keeps to its scopes',
    'src/legacy/sessions.ts',
    ' && [...one.scopes].join() === [...other.scopes].join()',
    '',
    oauth,
  ),
  guard(
    'S8',
    'an address on another machine is https',
    'src/settings.ts',
    "url.protocol === 'http:' && !isLoopback(url)",
    "url.protocol === 'gopher:'",
    upstream,
  ),
  guard(
    'S14',
    'a caller without sessions has a conversation',
    `${http}/serve.ts`,
    'conversations.of(principal.caller)',
    '{ hasMemberText: false }',
    consent,
  ),
  guard('S15', 'a code is for its caller', 'src/mcp/confirm.ts', 'sorted, facts, caller]', 'sorted, facts]', consent),
  guard(
    'S17',
    "a session is its caller's alone",
    'src/legacy/sessions.ts',
    'one.caller === other.caller &&',
    '',
    callers,
  ),
  guard(
    'S19',
    'a body has an end',
    `${http}/read-body.ts`,
    'export const longestBody = 2 ** 20;',
    'export const longestBody = 2 ** 30;',
    callers,
  ),
  guard(
    'S19',
    'a batch holds something, and not too much',
    `${http}/endpoint.ts`,
    'body.length === 0 || body.length > largestBatch',
    'body.length < 0',
    callers,
  ),
  guard('S19', 'a body is JSON', `${http}/read-body.ts`, "!== 'application/json'", "=== 'text/none'", callers),
  guard(
    'S19',
    'headers have an end',
    `${http}/listener.ts`,
    'maxHeaderSize: 16 * 1024',
    'maxHeaderSize: 256 * 1024',
    callers,
  ),
  guard(
    'S20',
    'a caller has a limit',
    `${http}/caller-limits.ts`,
    "perMinute === 'off' ? undefined",
    "perMinute !== 'off' ? undefined",
    callerLimits,
  ),
  guard(
    'S20',
    'a caller has so many requests under way',
    `${http}/caller-limits.ts`,
    '+ count > maxInFlight',
    '+ count < 0',
    callerLimits,
  ),
  guard(
    'S20',
    'a call keeps its place when its client has left',
    `${http}/routes.ts`,
    'void Promise.allSettled(calls).then(stay.leave)',
    'stay.leave()',
    callerLimits,
  ),
  guard(
    'S20',
    'nobody takes a place with them',
    `${http}/routes.ts`,
    'principal !== undefined && !response.destroyed',
    'principal !== undefined',
    oauth,
  ),
];
