import * as z from 'zod';
import { isLoopback } from '../../settings.ts';

/** Milliseconds: a caller waits meanwhile. */
const timeout = 5_000;
/** Bytes of a discovery document. */
const longest = 256 * 1024;

const metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });

/**
 * Where the metadata of an issuer may stand: RFC 8414 section 3.1 (between host and path), then OpenID Connect
 * Discovery in both forms. The order is that of the MCP specification, "Authorization server metadata discovery".
 */
export function metadataLocations(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return [...new Set([...inserted, `${origin}${path}/.well-known/openid-configuration`])];
}

async function read(location: string): Promise<unknown> {
  const signal = AbortSignal.timeout(timeout);
  const answer = await fetch(location, { redirect: 'error', signal, headers: { accept: 'application/json' } });
  const text = answer.ok ? await answer.text() : '';
  return answer.ok && text.length <= longest ? JSON.parse(text) : undefined;
}

function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || isLoopback(url);
}

/** `fetch` says only that it failed; why, its cause knows. */
function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.name : 'it failed';
}

/** The address of an issuer's keys. Throws where none of its documents names it, and in the issuer's own name. */
export async function findKeys(issuer: string): Promise<URL> {
  let problem = 'no metadata document was found';
  for (const location of metadataLocations(issuer)) {
    const document = await read(location).catch((error: unknown) => {
      problem = reasonOf(error);
      return undefined;
    });
    const { data } = metadata.safeParse(document);
    if (data === undefined) continue;
    // RFC 8414, section 3.3: a document that speaks for another issuer must not be used.
    if (data.issuer !== issuer) throw new Error('the metadata speak for another issuer');
    const keys = new URL(data.jwks_uri);
    if (!isSafe(keys)) throw new Error('the address of the keys is not https');
    return keys;
  }
  throw new Error(problem);
}
