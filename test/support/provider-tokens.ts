import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { listen } from './listen.ts';

/** How a real identity provider lays out its addresses and tokens. The addresses follow its own at 127.0.0.1. */
export interface ProviderShape {
  /** Path of the issuer, with a slash at the end if the provider writes one. */
  readonly issuerPath: string;
  /** Path of the metadata document. Any other place answers 404, as the provider does. */
  readonly metadataPath: string;
  readonly keysPath: string;
  readonly header: { typ: string };
  /** Claims as the provider issues them, without iss, exp and iat. */
  readonly claims: (audience: string) => JWTPayload;
}

/**
 * Keycloak 26, a person who signed in with a public client. Source: Server Administration Guide, "Audience support" and
 * "Client scopes"; class org.keycloak.representations.AccessToken; gist.github.com/phacman/bd288c7abac1d3fc1694b7e191e27e4c.
 */
export const keycloak: ProviderShape = {
  issuerPath: '/realms/academy',
  metadataPath: '/realms/academy/.well-known/openid-configuration',
  keysPath: '/realms/academy/protocol/openid-connect/certs',
  header: { typ: 'JWT' },
  claims: (audience) => ({
    jti: 'onrtac:d58f5dc8-fd8f-462b-8a19-716f8f83985b',
    aud: [audience, 'account'],
    sub: '36fa0f91-f94d-4a0c-afed-6b7d952e47da',
    typ: 'Bearer',
    azp: 'academy-assistant',
    sid: '2a88c258-f73a-4103-b862-e1fbd8f4e04e',
    acr: '1',
    'allowed-origins': ['http://127.0.0.1:33418'],
    realm_access: { roles: ['offline_access', 'default-roles-academy', 'uma_authorization'] },
    resource_access: {
      academy: { roles: ['academy:read'] },
      account: { roles: ['manage-account', 'manage-account-links', 'view-profile'] },
    },
    scope: 'openid academy:read academy:write profile email',
    email_verified: true,
    preferred_username: 'ann',
    email: 'ann@example.com',
  }),
};

/**
 * Auth0 with RBAC and "Add Permissions in the Access Token". Source: auth0.com/docs, "Access Token Profiles" (sample of
 * the RFC 9068 profile) and "Enable Role-Based Access Control for APIs".
 */
export const auth0: ProviderShape = {
  issuerPath: '/',
  metadataPath: '/.well-known/openid-configuration',
  keysPath: '/.well-known/jwks.json',
  header: { typ: 'at+jwt' },
  claims: (audience) => ({
    sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
    aud: [audience, 'https://your-tenant.eu.auth0.com/userinfo'],
    client_id: 'my_client_id',
    jti: '73WakrfVbNJBaAmhQtEeDv',
    scope: 'openid profile',
    permissions: ['academy:access', 'academy:read'],
  }),
};

/** Microsoft Entra ID, version 2.0. Source: learn.microsoft.com, "Access token claims reference". */
export const entra: ProviderShape = {
  issuerPath: '/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0',
  metadataPath: '/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0/.well-known/openid-configuration',
  keysPath: '/aaaabbbb-0000-cccc-1111-dddd2222eeee/discovery/v2.0/keys',
  header: { typ: 'JWT' },
  claims: (audience) => ({
    aud: audience,
    azp: '00001111-aaaa-2222-bbbb-3333cccc4444',
    azpacr: '0',
    oid: 'aaaaaaaa-0000-1111-2222-bbbbbbbbbbbb',
    scp: 'academy:read academy:write',
    sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
    tid: 'aaaabbbb-0000-cccc-1111-dddd2222eeee',
    ver: '2.0',
  }),
};

/** A local server with the addresses and tokens of a provider. `publicOrigin` is what a server in front of it is called. */
export async function startProvider(shape: ProviderShape, port = 0, publicOrigin?: string) {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  // Keycloak publishes a key for encryption beside the one for signatures.
  const keys = [
    { ...jwk, kid: 'encryption', use: 'enc', alg: 'RSA-OAEP' },
    { ...jwk, kid: 'signing', use: 'sig', alg: 'RS256' },
  ];
  const server = await listen((request, response) => {
    const documents: Record<string, object> = {
      [shape.metadataPath]: { issuer, jwks_uri: `${publicOrigin ?? origin}${shape.keysPath}` },
      [shape.keysPath]: { keys },
    };
    const found = documents[request.url ?? ''];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { error: 'Not found' }));
  }, port);
  const origin = server.url;
  const issuer = `${publicOrigin ?? origin}${shape.issuerPath}`;
  return {
    issuer,
    /** Where it listens. */
    origin,
    /** A token with the usual claims and these instead of some of them. */
    issue: (audience: string, claims: JWTPayload = {}) =>
      new SignJWT({ iss: issuer, ...shape.claims(audience), ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'signing', ...shape.header })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
  };
}
