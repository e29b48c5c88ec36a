import type { JWTPayload } from 'jose';
import { expect, test } from 'vitest';
import { openSession, post, startHttp } from '../support/http-server.ts';
import { auth0, entra, keycloak, type ProviderShape, startProvider } from '../support/provider-tokens.ts';

const audience = 'https://mcp.example.com/mcp';

async function startWith(shape: ProviderShape, settings: Record<string, string> = {}) {
  const provider = await startProvider(shape);
  const oauth = { ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience };
  const { url, origin } = await startHttp({ ...oauth, ...settings });
  const enter = async (claims: JWTPayload = {}) => {
    const authorization = `Bearer ${await provider.issue(audience, claims)}`;
    return { authorization, status: (await post(url, {}, { authorization })).status };
  };
  /** The kinds of tools that a token with these claims lists. */
  const kindsFor = async (claims: JWTPayload = {}) => {
    const headers = await openSession(url, { authorization: `Bearer ${await provider.issue(audience, claims)}` });
    const { text } = await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers);
    const samples = { read: 'list_courses', write: 'update_product', access: 'grant_role' };
    return Object.entries(samples).flatMap(([kind, name]) => (text.includes(`"name":"${name}"`) ? [kind] : []));
  };
  return { provider, origin, enter, kindsFor };
}

/** The same issuer with a slash at the end if it has none, and without it if it has one. */
function otherForm(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`;
}

const providers = { keycloak, auth0, entra };

test.each(Object.entries(providers))(
  'a token of %s is accepted, with and without a slash after the issuer',
  async (_name, shape) => {
    const provider = await startProvider(shape);
    for (const issuer of [provider.issuer, otherForm(provider.issuer)]) {
      const { url, origin } = await startHttp({ ACADEMY_OAUTH_ISSUER: issuer, ACADEMY_OAUTH_AUDIENCE: audience });
      const authorization = `Bearer ${await provider.issue(audience)}`;
      await openSession(url, { authorization });
      // Clients compare this with the metadata of the issuer, character by character.
      const metadata = await (await fetch(`${origin}/.well-known/oauth-protected-resource`)).json();
      expect(metadata).toMatchObject({ authorization_servers: [provider.issuer] });
    }
  },
);

test('scopes are read from scope (Keycloak), permissions (Auth0) and scp (Entra ID)', async () => {
  expect(await (await startWith(keycloak)).kindsFor()).toEqual(['read', 'write']);
  expect(await (await startWith(auth0)).kindsFor()).toEqual(['read', 'access']);
  expect(await (await startWith(entra)).kindsFor()).toEqual(['read', 'write']);
});

test('permissions add nothing to the scopes that a client asked for', async () => {
  const { kindsFor } = await startWith(auth0);
  expect(await kindsFor({ scope: 'openid academy:read' })).toEqual(['read']);
});

test('ACADEMY_OAUTH_SCOPE_CLAIM names the only claim that counts, by its name or the path to it', async () => {
  const roles = await startWith(keycloak, { ACADEMY_OAUTH_SCOPE_CLAIM: 'resource_access.academy.roles' });
  expect(await roles.kindsFor()).toEqual(['read']);
  // Any client can ask for scopes. Only the roles of the person decide here.
  expect((await roles.enter({ resource_access: {}, scope: 'academy:write' })).status).toBe(403);
  expect((await roles.enter({ resource_access: { academy: { roles: 'academy:write' } } })).status).not.toBe(403);

  const named = await startWith(auth0, { ACADEMY_OAUTH_SCOPE_CLAIM: 'https://academy.example.com/roles' });
  expect(await named.kindsFor({ 'https://academy.example.com/roles': ['academy:write'] })).toEqual(['write']);
  expect((await named.enter()).status).toBe(403);

  for (const claim of ['__proto__', 'constructor.name', 'resource_access', 'resource_access..roles', '.']) {
    const odd = await startWith(keycloak, { ACADEMY_OAUTH_SCOPE_CLAIM: claim });
    expect((await odd.enter()).status, claim).toBe(403);
  }
});
