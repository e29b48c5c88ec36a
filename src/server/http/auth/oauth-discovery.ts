import * as z from 'zod';
import { isEncryptedOrLocal } from '../../../shared/loopback.ts';

/** Milliseconds: a caller waits meanwhile. */
const timeoutMs = 5_000;
/** Bytes of a document of the issuer. */
const maxDocumentBytes = 256 * 1024;

const metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });
const keySet = z.looseObject({ keys: z.array(z.looseObject({})) });

/**
 * Where the metadata of an issuer may stand: RFC 8414 section 3.1 (between host and path), then OpenID Connect
 * Discovery in both forms. The order is that of the MCP specification, "Authorization server metadata discovery".
 */
function metadataLocations(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return [...new Set([...inserted, `${origin}${path}/.well-known/openid-configuration`])];
}

async function readJson(answer: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > maxDocumentBytes) throw new Error('a document of the issuer is too long');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

async function readMetadata(location: string): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(location, { redirect: 'error', signal, headers: { accept: 'application/json' } });
  if (answer.ok) return await readJson(answer);
  await answer.body?.cancel();
  return undefined;
}

/** Fetches the keys for jose, which would read a body of any length, and take a key set for none. Throws on both. */
export async function fetchKeySet(location: string, options: RequestInit): Promise<Response> {
  const answer = await fetch(location, { ...options, redirect: 'error' });
  if (answer.ok) return Response.json(keySet.parse(await readJson(answer)));
  await answer.body?.cancel();
  throw new Error(`the keys were answered with HTTP ${answer.status}`);
}

/** `fetch` says only that it failed; why, its cause knows. A message of ours says why itself. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  if (error.cause instanceof Error && 'code' in error.cause) return String(error.cause.code);
  return error.name === 'Error' ? error.message : error.name;
}

/** The address of an issuer's keys. Throws where none of its documents names it, and in the issuer's own name. */
export async function findKeys(issuer: string): Promise<URL> {
  let problem = 'no metadata document was found';
  for (const location of metadataLocations(issuer)) {
    const document = await readMetadata(location).catch((error: unknown) => {
      problem = failureReason(error);
    });
    const { data } = metadata.safeParse(document);
    if (data === undefined) continue;
    // RFC 8414, section 3.3: a document that speaks for another issuer must not be used.
    if (data.issuer !== issuer) throw new Error('the metadata speak for another issuer');
    const keys = new URL(data.jwks_uri);
    if (!isEncryptedOrLocal(keys)) throw new Error('the address of the keys is not https');
    return keys;
  }
  throw new Error(problem);
}
