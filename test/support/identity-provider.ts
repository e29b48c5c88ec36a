import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { listen } from './listen.ts';

export interface TokenOptions {
  kid?: string;
  /** Seconds from now. */
  expiresIn?: number | 'never';
  notBefore?: number;
}

/** The parts of a real authorization server that a resource server uses: discovery, keys and signed tokens. */
export async function startIdentityProvider() {
  let key = await generateKeyPair('ES256', { extractable: true });
  let kid = 'first';
  const counts = { discovery: 0, keys: 0 };
  /** How it departs from a healthy provider. */
  const odd = {
    claimedIssuer: undefined as string | undefined,
    /** Another address of the keys. */
    keysAt: undefined as string | undefined,
    areKeysDown: false,
    /** Characters by which the key set is longer. */
    padding: 0,
    delayMs: 0,
  };
  const moved = new Set<string | undefined>();

  const answer = (response: ServerResponse, status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const server = await listen(async (request, response) => {
    await sleep(odd.delayMs);
    if (moved.has(request.url)) {
      response.writeHead(302, { location: `/moved${request.url}` });
      return void response.end();
    }
    const path = request.url?.replace(/^\/moved/, '');
    if (path === '/.well-known/oauth-authorization-server') {
      counts.discovery += 1;
      return answer(response, 200, { issuer: odd.claimedIssuer ?? issuer, jwks_uri: odd.keysAt ?? `${issuer}/keys` });
    }
    if (path !== '/keys') return answer(response, 404, {});
    counts.keys += 1;
    if (odd.areKeysDown) return answer(response, 503, {});
    const publicKey = { ...(await exportJWK(key.publicKey)), kid, alg: 'ES256', use: 'sig' };
    const symmetric = {
      kty: 'oct',
      k: Buffer.from('a shared secret of 32 characters').toString('base64url'),
      kid: 'shared',
    };
    answer(response, 200, { keys: [publicKey, symmetric], padding: ' '.repeat(odd.padding) });
  });
  const issuer = server.url;

  return {
    issuer,
    counts,
    publicKey: () => exportSPKI(key.publicKey),
    odd,
    /** Redirects this path to another one. */
    move: (path: string) => void moved.add(path),
    rotate: async () => {
      key = await generateKeyPair('ES256', { extractable: true });
      kid = 'second';
    },
    /** A token with these claims, by default valid for a minute. */
    issue: async (claims: JWTPayload, { kid: named = kid, expiresIn = 60, notBefore }: TokenOptions = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const times = {
        ...(expiresIn === 'never' ? {} : { exp: now + expiresIn }),
        ...(notBefore === undefined ? {} : { nbf: now + notBefore }),
      };
      return await new SignJWT({ iss: issuer, sub: 'admin-7', ...times, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: named, typ: 'at+jwt' })
        .sign(key.privateKey);
    },
  };
}
