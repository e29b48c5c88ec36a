import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import type { Tool } from '../../src/mcp/tool.ts';
import { tools } from '../../tools/index.ts';
import { linesOf } from '../support/audit-lines.ts';
import { callMessage, initialize, jsonHeaders, openSession, post, startHttp } from '../support/http-server.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { temporaryFile } from '../support/sandbox.ts';
import { isMutated, readSource } from '../support/source.ts';

const audience = 'https://mcp.example.com/mcp';
const all = 'academy:read academy:write academy:access';

type Provider = Awaited<ReturnType<typeof startIdentityProvider>>;

/** `prepare` changes the provider before the server looks for it. */
async function startProtected(settings: Record<string, string> = {}, prepare: (provider: Provider) => void = () => {}) {
  const provider = await startIdentityProvider();
  prepare(provider);
  const oauth = { ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience };
  const server = await startHttp({ ...oauth, ...settings });
  const enter = (token: string) => post(server.url, initialize, { authorization: `Bearer ${token}` });
  return { provider, enter, ...server };
}

const now = () => Math.floor(Date.now() / 1000);

test('S5: a token of the issuer with our audience and one of our scopes is accepted', async () => {
  const { provider, enter } = await startProtected();
  expect((await enter(await provider.issue({ aud: audience, scope: all }))).status).toBe(200);
  expect((await enter(await provider.issue({ aud: ['other', audience], scope: 'openid academy:read' }))).status).toBe(
    200,
  );
  expect((await enter(await provider.issue({ aud: audience, scp: ['academy:read'] }))).status).toBe(200);
});

test('S5: an invalid token is refused, whatever is wrong with it', async () => {
  const { provider, enter } = await startProtected();
  const good = { aud: audience, scope: all };
  const token = await provider.issue(good);
  const spki = await provider.publicKey();
  const claims = { iss: provider.issuer, sub: 'x', exp: now() + 60, ...good };
  const symmetric = (secret: string, kid: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(new TextEncoder().encode(secret));
  const [head = '', body = '', signature = ''] = token.split('.');
  const wrong: [what: string, token: string][] = [
    ['no signature', new UnsecuredJWT(claims).encode()],
    ['signed with the public key as a shared secret', await symmetric(spki, 'first')],
    [
      'signed with a shared secret that the key set shows',
      await symmetric('a shared secret of 32 characters', 'shared'),
    ],
    ['another issuer', await provider.issue({ ...good, iss: 'https://evil.example' })],
    ['another audience', await provider.issue({ ...good, aud: 'https://other.example.com' })],
    ['an audience that only begins like ours', await provider.issue({ ...good, aud: `${audience}/x` })],
    ['no audience', await provider.issue({ scope: all })],
    ['expired', await provider.issue(good, { expiresIn: -60 })],
    ['no expiry', await provider.issue(good, { expiresIn: 'never' })],
    ['not valid yet', await provider.issue(good, { notBefore: 120 })],
    ['an unknown key', await provider.issue(good, { kid: 'unknown' })],
    ['nobody named', await provider.issue({ ...good, sub: '' })],
    ['a changed body', `${head}.${body.slice(0, -2)}AA.${signature}`],
    ['no JWT at all', 'not-a-jwt-but-long-enough-to-be-a-token'],
  ];
  for (const [what, each] of wrong) {
    const { status, headers, text } = await enter(each);
    expect(status, what).toBe(401);
    expect(headers.get('www-authenticate'), what).toContain('error="invalid_token"');
    expect(text, what).not.toContain(each);
  }
});

test('S5: a token without any of our scopes gets 403, and the challenge names the scopes', async () => {
  const { provider, enter } = await startProtected();
  for (const scope of [undefined, '', 'openid', 'academy:reader']) {
    const { status, headers } = await enter(
      await provider.issue({ aud: audience, ...(scope === undefined ? {} : { scope }) }),
    );
    expect(status, scope).toBe(403);
    expect(headers.get('www-authenticate')).toContain(`error="insufficient_scope", scope="${all}"`);
  }
});

test('S5: a hundred unknown keys cause at most two fetches of the key set', async () => {
  const { provider, enter } = await startProtected();
  const tokens = Array.from({ length: 100 }, (_, index) =>
    provider.issue({ aud: audience, scope: all }, { kid: `k${index}` }),
  );
  const answers = await Promise.all((await Promise.all(tokens)).map(enter));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect(provider.counts.keys).toBeGreaterThan(0);
  expect(provider.counts.keys).toBeLessThanOrEqual(2);
  expect(provider.counts.discovery).toBe(1);
});

/** Providers without usable keys, and how often they are asked. */
const withoutKeys: [what: string, prepare: (provider: Provider) => void, asked: Partial<Provider['counts']>][] = [
  ['the keys cannot be fetched', ({ odd }) => Object.assign(odd, { areKeysDown: true }), { discovery: 1, keys: 1 }],
  ['the key set has more than 256 KiB', ({ odd }) => Object.assign(odd, { padding: 300_000 }), {}],
  [
    'the discovery document names another issuer',
    ({ odd }) => Object.assign(odd, { claimedIssuer: 'https://evil.example' }),
    { keys: 0 },
  ],
  // The same server, under a name that is not loopback.
  [
    'the keys are at another machine without https',
    ({ issuer, odd }) => Object.assign(odd, { keysAt: `${issuer.replace('127.0.0.1', '0.0.0.0')}/keys` }),
    { keys: 0 },
  ],
  ['the metadata are behind a redirect', ({ move }) => move('/.well-known/oauth-authorization-server'), { keys: 0 }],
  ['the keys are behind a redirect', ({ move }) => move('/keys'), { keys: 0 }],
];

test.each(withoutKeys)('S5: if %s, every token is refused', async (_what, prepare, asked) => {
  const { provider, enter } = await startProtected({}, prepare);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { status, headers } = await enter(await provider.issue({ aud: audience, scope: all }));
    expect([status, headers.get('www-authenticate')]).toEqual([503, null]);
  }
  // Anyone can send a forged token, and a failing issuer must not get a request for each.
  expect(provider.counts).toMatchObject(asked);
});

test.skipIf(isMutated)('S5: only asymmetric signature algorithms are accepted', async () => {
  // The library refuses the others today as well, so no token can show that our list is passed to it.
  const source = await readSource('src/server/http/auth/oauth.ts');
  expect(source).toContain('const requirements = { algorithms, ');
  expect(source).toContain('issuerForms(settings.issuer), ...requirements }');
  expect(source).toContain('await jwtVerify(token, keys, expected)');
  const list = /const algorithms = '([^']+)'/.exec(source)?.[1]?.match(/\w+/g) ?? [];
  expect(list.length).toBeGreaterThan(0);
  for (const algorithm of list) expect(algorithm).toMatch(/^(RS|PS|ES)(256|384|512)$|^Ed(DSA|25519)$/);
});

test('S5: the challenge links to metadata with the issuer and the scopes', async () => {
  const { provider, url, origin } = await startProtected();
  const { status, headers } = await post(url, initialize);
  expect(status).toBe(401);
  const challenge = headers.get('www-authenticate') ?? '';
  expect(challenge).not.toContain('error=');
  const where = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
  expect(where).toBe('https://mcp.example.com/.well-known/oauth-protected-resource/mcp');
  for (const path of [new URL(where).pathname, '/.well-known/oauth-protected-resource']) {
    expect(await (await fetch(origin + path)).json()).toEqual({
      resource: audience,
      authorization_servers: [provider.issuer],
      scopes_supported: ['academy:read', 'academy:write', 'academy:access'],
      bearer_methods_supported: ['header'],
      resource_name: 'academy-mcp',
    });
  }
});

test('S5: a session does not give its scopes to a weaker token of the same caller', async () => {
  const { provider, url } = await startProtected();
  const bearer = async (scope: string) => ({
    authorization: `Bearer ${await provider.issue({ aud: audience, scope })}`,
  });
  const session = await openSession(url, await bearer(all));
  const weak = { ...session, ...(await bearer('academy:read')) };
  expect((await post(url, callMessage(2, 'create_channel', { name: 'x' }), weak)).status).toBe(404);
  expect((await post(url, callMessage(3, 'get_account'), { ...session, ...(await bearer(all)) })).status).toBe(200);
});

const victims: Readonly<Record<string, JWTPayload>> = {
  'the person acme': { sub: 'acme' },
  'the client acme': { sub: '', client_id: 'acme' },
  'a person with an email': { sub: 'ann@example.com' },
};

/** The last value names the victim with the same identity, if there is one. */
const impostors: readonly [words: string, claims: JWTPayload, itself?: string][] = [
  ['a client of that name', { sub: '', client_id: 'acme' }, 'the client acme'],
  ['a client named in azp', { sub: '', azp: 'acme' }, 'the client acme'],
  // RFC 9068: without a person, the subject is the client.
  ['a client that is its own subject', { sub: 'acme', client_id: 'acme' }, 'the client acme'],
  ['a subject with the prefix of a client', { sub: 'oauth:client:acme' }],
  ['a subject with the prefix of a subject', { sub: 'oauth:sub:acme' }],
  ['a subject in capitals', { sub: 'ACME' }],
  ['a subject with a trailing space', { sub: 'acme ' }],
  ['a subject with a letter that looks the same', { sub: '\u0430cme' }],
  ['a client named like the email', { sub: '', client_id: 'ann@example.com' }],
  ['a subject that is the email in capitals', { sub: 'ANN@example.com' }],
];

test.for(impostors)('S17: %s cannot use the session of another', async ([, claims, itself]) => {
  const { provider, url } = await startProtected();
  const bearer = async (own: JWTPayload) => ({
    authorization: `Bearer ${await provider.issue({ aud: audience, scope: all, ...own })}`,
  });
  const stranger = await bearer(claims);
  for (const [name, victim] of Object.entries(victims)) {
    if (name === itself) continue;
    const session = await openSession(url, await bearer(victim));
    expect((await post(url, callMessage(2, 'get_account'), { ...session, ...stranger })).status, name).toBe(404);
    expect((await post(url, callMessage(3, 'get_account'), session)).status, name).toBe(200);
  }
});

test('S17: a subject and a client with the same name are two callers', async () => {
  const file = await temporaryFile('audit.jsonl');
  const { provider, url } = await startProtected({ ACADEMY_AUDIT_LOG: file });
  const bearer = async (claims: JWTPayload) => ({
    authorization: `Bearer ${await provider.issue({ aud: audience, scope: all, ...claims })}`,
  });
  const person = await bearer({ sub: 'acme' });
  const programs = [
    await bearer({ sub: '', client_id: 'acme' }),
    await bearer({ sub: '', azp: 'acme' }),
    await bearer({ sub: 'acme', client_id: 'acme' }),
  ];
  for (const [index, headers] of [person, ...programs].entries()) {
    const own = await openSession(url, headers);
    await post(url, callMessage(2, 'create_channel', { name: `Channel ${index}` }), own);
  }
  expect((await linesOf(file)).map(({ caller }) => caller)).toEqual([
    'oauth:sub:acme',
    'oauth:client:acme',
    'oauth:client:acme',
    'oauth:client:acme',
  ]);
});

test('S21: a subject that may be an email is logged as a keyed hash, which nobody can use as a name', async () => {
  const file = await temporaryFile('audit.jsonl');
  const { provider, url } = await startProtected({ ACADEMY_AUDIT_LOG: file });
  const email = 'ann@example.com';
  const write = async (claims: JWTPayload) => {
    const authorization = `Bearer ${await provider.issue({ aud: audience, scope: all, ...claims })}`;
    const headers = await openSession(url, { authorization });
    await post(url, callMessage(2, 'create_channel', { name: JSON.stringify(claims) }), headers);
    return (await linesOf(file)).at(-1)?.caller ?? '';
  };
  const caller = await write({ sub: email });
  expect(caller).toMatch(/^oauth:sub:#[0-9a-f]{32}$/);
  expect(caller).not.toContain(createHash('sha256').update(email).digest('hex').slice(0, 16));
  expect(await write({ sub: '', client_id: email })).not.toBe(caller.replace('sub', 'client'));
  // A caller whose name looks like another caller's hash is still a different caller.
  for (const part of [caller, caller.slice('oauth:sub:'.length), caller.slice('oauth:sub:#'.length)]) {
    expect(await write({ sub: part })).not.toBe(caller);
  }
});

test('S20: a caller who disconnects during the token check frees their slot', async () => {
  const { provider, enter, url } = await startProtected({ ACADEMY_HTTP_MAX_IN_FLIGHT: '2' });
  const token = await provider.issue({ aud: audience, scope: all });
  const headers = { ...jsonHeaders, authorization: `Bearer ${token}` };
  const body = JSON.stringify(initialize);
  provider.odd.delayMs = 500;
  const left = Array.from({ length: 5 }, () =>
    fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(100) }),
  );
  for (const each of await Promise.allSettled(left)) expect(each.status).toBe('rejected');
  // The token check fetches discovery and keys.
  await sleep(1_500);
  expect((await enter(token)).status).toBe(200);
});

async function toolsFor(scope: string) {
  const { provider, url, origin } = await startProtected();
  const authorization = `Bearer ${await provider.issue({ aud: audience, scope })}`;
  const headers = await openSession(url, { authorization });
  const listed = await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers);
  const { tools } = listed.json.result as { tools: { name: string; annotations: { readOnlyHint: boolean } }[] };
  const call = async (name: string, args: Record<string, unknown>) => {
    const { json } = await post(url, callMessage(3, name, args), headers);
    return json.result as { isError?: boolean; content: { text: string }[] };
  };
  const metrics = async () => await (await fetch(`${origin}/metrics`)).text();
  return { tools, call, metrics };
}

/** Names of the writing tools that match, in order. */
function namesOf(fits: (tool: Tool) => boolean): string[] {
  return tools.filter((tool) => tool.effect !== 'read' && fits(tool)).map(({ name }) => name);
}

test('S13: scopes limit the tools that are listed and that can be called', async () => {
  const reader = await toolsFor('academy:read');
  expect(reader.tools.every(({ annotations }) => annotations.readOnlyHint)).toBe(true);
  expect(reader.tools.length).toBeGreaterThan(20);
  const refused = await reader.call('create_channel', { name: 'Night school' });
  expect(refused.isError).toBe(true);
  expect(refused.content[0]?.text).toMatch(/^read_only: .*academy:write/);
  expect(refused.content[0]?.text).toContain('Outcome: not_applied');

  expect(await reader.metrics()).toContain('calls_total{tool="create_channel",code="read_only"} 1');

  const writer = await toolsFor('academy:write');
  expect(writer.tools.map(({ name }) => name)).toEqual(namesOf(({ toolset, scope }) => toolset !== 'access' && !scope));
  expect((await writer.call('get_account', {})).content[0]?.text).toMatch(/^forbidden: .*academy:read/);
  expect((await writer.call('create_channel', { name: 'Night school' })).isError).toBeUndefined();

  const steward = await toolsFor('academy:access');
  expect(steward.tools.map(({ name }) => name)).toEqual([
    ...namesOf(({ toolset }) => toolset === 'access'),
    'sync_roster',
    'offboard_student',
  ]);
  expect((await steward.call('update_product', { product_type: 'course', id_or_slug: '1', title: 'x' })).isError).toBe(
    true,
  );
});
