import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { initialize, openSession, post, startHttp } from '../support/http-server.ts';
import { startIdentityProvider, type TokenOptions } from '../support/identity-provider.ts';
import { freePort } from '../support/listen.ts';
import { keycloak, startProvider } from '../support/provider-tokens.ts';

const audience = 'https://mcp.example.com/mcp';
const good = { aud: audience, scope: 'academy:read' };

type Line = Record<string, unknown>;

const linesOf = (log: readonly string[]): Line[] => log.map((line) => JSON.parse(line));

async function startDiagnosed(settings: Record<string, string> = {}) {
  const provider = await startIdentityProvider();
  const oauth = { ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience };
  const { url, log } = await startHttp({ ...oauth, ...settings });
  /** What the log says about a refused token. */
  const refusalOf = async (token: string) => {
    const before = log.length;
    const { text } = await post(url, initialize, { authorization: `Bearer ${token}` });
    const lines = () => linesOf(log.slice(before)).filter(({ request }) => request !== undefined);
    await expect.poll(() => lines().length).toBe(1);
    expect(log.join('')).not.toContain(token);
    const [{ refused } = {}] = lines() as { refused?: { check: string; expected: string; found: string }[] }[];
    // The client learns nothing that the log says.
    for (const { found } of refused ?? []) if (found !== 'none') expect(text).not.toContain(found);
    return refused;
  };
  const refused = async (claims: JWTPayload, options?: TokenOptions) =>
    refusalOf(await provider.issue(claims, options));
  return { provider, refused, refusalOf, log };
}

test('the log says which of issuer, audience, expiry and scope failed, with both values', async () => {
  const { provider, refused } = await startDiagnosed();
  expect(await refused({ ...good, iss: 'https://login.example.com/realms/other' })).toEqual([
    { check: 'issuer', expected: provider.issuer, found: 'https://login.example.com/realms/other' },
  ]);
  expect(await refused({ ...good, aud: ['account', 'https://mcp.example.com'] })).toEqual([
    { check: 'audience', expected: audience, found: 'account, https://mcp.example.com' },
  ]);
  expect(await refused({ scope: 'academy:read' })).toEqual([{ check: 'audience', expected: audience, found: 'none' }]);
  const [expiry] = (await refused(good, { expiresIn: -3600 })) ?? [];
  const [, now = ''] = /^after (\S+Z)$/.exec(expiry?.expected ?? '') ?? [];
  expect(expiry?.check).toBe('expiry');
  expect(Date.parse(now) - Date.parse(expiry?.found ?? '')).toBeGreaterThan(3_500_000);
  expect(await refused(good, { expiresIn: 'never' })).toMatchObject([{ check: 'expiry', found: 'none' }]);
  expect(await refused(good, { notBefore: 600 })).toMatchObject([
    { check: 'not before', expected: expect.stringMatching(/^before \d{4}-/), found: expect.stringMatching(/^\d{4}-/) },
  ]);
  expect(await refused({ aud: audience, scope: 'openid email' })).toEqual([
    { check: 'scope', expected: 'one of academy:read, academy:write, academy:access', found: 'openid, email' },
  ]);
  expect(await refused({ ...good, sub: '' })).toEqual([
    { check: 'subject', expected: 'sub, client_id or azp', found: 'none' },
  ]);
});

test('the log names the claim in which the scopes were looked for', async () => {
  const { refused } = await startDiagnosed({ ACADEMY_OAUTH_SCOPE_CLAIM: 'roles' });
  expect(await refused({ ...good, roles: ['admin'] })).toEqual([
    {
      check: 'scope',
      expected: 'one of academy:read, academy:write, academy:access in the claim roles',
      found: 'admin',
    },
  ]);
});

test('the log says that key, signature, algorithm or form are wrong, and what else is', async () => {
  const { provider, refused, refusalOf } = await startDiagnosed();
  // A token of another realm has another key as well. The issuer is what explains it.
  expect(await refused({ ...good, iss: 'https://login.example.com' }, { kid: 'of-another-realm' })).toEqual([
    { check: 'key id', expected: 'first, shared', found: 'of-another-realm' },
    { check: 'issuer', expected: provider.issuer, found: 'https://login.example.com' },
  ]);
  const claims = { iss: provider.issuer, sub: 'x', exp: Math.floor(Date.now() / 1000) + 60, ...good };
  const { privateKey } = await generateKeyPair('ES256');
  const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'first' }).sign(privateKey);
  expect(await refusalOf(forged)).toEqual([
    { check: 'signature', expected: 'one made with the key first', found: 'another one' },
  ]);
  const symmetric = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
    .sign(new TextEncoder().encode('a shared secret of 32 characters'));
  expect(await refusalOf(symmetric)).toMatchObject([{ check: 'algorithm', found: 'HS256' }]);
  expect(await refusalOf('opaque-token-of-another-kind')).toEqual([
    { check: 'format', expected: 'a JWT, which has 3 parts', found: '1 part' },
  ]);
  expect(await refusalOf('not.a.jwt')).toMatchObject([{ check: 'format' }]);
});

test('a long or odd value of a token is cut, and an email in it is hidden', async () => {
  const { refused } = await startDiagnosed();
  const [long] = (await refused({ ...good, aud: 'x'.repeat(3_000) })) ?? [];
  expect(long?.found.length).toBeLessThanOrEqual(200);
  expect(await refused({ ...good, aud: 'ann@example.com' })).toMatchObject([{ check: 'audience', found: '[email]' }]);
  expect(await refused({ ...good, iss: { toString: 1 } } as unknown as JWTPayload)).toMatchObject([
    { check: 'issuer', found: '{"toString":1}' },
  ]);
});

test('at start the server compares the issuer with its metadata, and logs both if they differ', async () => {
  const provider = await startIdentityProvider();
  provider.odd.claimedIssuer = 'https://login.example.com/realms/other';
  const settings = { ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience, LOG_LEVEL: 'warn' };
  const { log } = await startHttp(settings);
  await expect.poll(() => log.length).toBeGreaterThan(0);
  expect(linesOf(log)[0]).toMatchObject({
    level: 50,
    issuer: provider.issuer,
    problem: expect.stringMatching(
      /^its metadata name https:\/\/login.example.com\/realms\/other\. Set ACADEMY_OAUTH_ISSUER/,
    ),
  });
});

test('a slash at the end of the issuer makes no difference in the setting, the metadata and the token', async () => {
  const provider = await startIdentityProvider();
  provider.odd.claimedIssuer = `${provider.issuer}/`;
  const settings = { ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience };
  const { url, log } = await startHttp(settings);
  for (const iss of [provider.issuer, `${provider.issuer}/`]) {
    await openSession(url, { authorization: `Bearer ${await provider.issue({ ...good, iss })}` });
  }
  const { status } = await post(url, initialize, {
    authorization: `Bearer ${await provider.issue({ ...good, iss: `${provider.issuer}//` })}`,
  });
  expect(status).toBe(401);
  expect(linesOf(log)).toContainEqual(expect.objectContaining({ msg: 'the OAuth issuer answers' }));
});

test('a server whose issuer is down at start says so, serves other callers, and retries until it answers', async () => {
  const port = await freePort();
  const token = 'first-token-0123456789abcdef';
  const settings = {
    ACADEMY_OAUTH_ISSUER: `http://127.0.0.1:${port}${keycloak.issuerPath}`,
    ACADEMY_OAUTH_AUDIENCE: audience,
    ACADEMY_HTTP_TOKENS: token,
  };
  const { url, origin, log } = await startHttp(settings, { pace: 0.01 });
  const failure = expect.objectContaining({
    level: 50,
    issuer: settings.ACADEMY_OAUTH_ISSUER,
    problem: 'ECONNREFUSED',
  });
  await expect.poll(() => linesOf(log)).toContainEqual(failure);
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  await openSession(url, { authorization: `Bearer ${token}` });
  const provider = await startProvider(keycloak, port);
  const answers = expect.objectContaining({ issuer: provider.issuer, msg: 'the OAuth issuer answers' });
  await expect.poll(() => linesOf(log)).toContainEqual(answers);
  await openSession(url, { authorization: `Bearer ${await provider.issue(audience)}` });
});
