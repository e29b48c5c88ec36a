import * as z from 'zod';
import { isEncryptedOrLocal } from '../../../shared/loopback.ts';

/** Milliseconds. A caller waits for this request. */
const timeoutMs = 5_000;
/** Bytes of one document from the issuer. */
const maxDocumentBytes = 256 * 1024;

const metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });
const keySet = z.looseObject({ keys: z.array(z.looseObject({})) });

/**
 * The URLs where an issuer may publish its metadata: RFC 8414 section 3.1 (between host and path), then OpenID Connect
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
    if (length > maxDocumentBytes) throw new Error('a document from the issuer is too large');
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

/** Fetches the key set for jose, which accepts a body of any size and any JSON. Throws for a too large or invalid one. */
export async function fetchKeySet(location: string, options: RequestInit): Promise<Response> {
  const answer = await fetch(location, { ...options, redirect: 'error' });
  if (answer.ok) return Response.json(keySet.parse(await readJson(answer)));
  await answer.body?.cancel();
  throw new Error(`the request for the keys returned HTTP ${answer.status}`);
}

/** Why a request failed. `fetch` gives the reason only in the cause; our own errors give it in the message. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.cause instanceof Error && 'code' in error.cause) return String(error.cause.code);
  return error.name === 'Error' ? error.message : error.name;
}

/** Finds the URL of an issuer's keys. Throws if no metadata document names it, or a document names another issuer. */
export async function findKeys(issuer: string): Promise<URL> {
  let problem = 'no metadata document was found';
  for (const location of metadataLocations(issuer)) {
    const document = await readMetadata(location).catch((error: unknown) => {
      problem = failureReason(error);
    });
    const { data } = metadata.safeParse(document);
    if (data === undefined) continue;
    // RFC 8414, section 3.3: a document with another issuer must not be used.
    if (data.issuer !== issuer) throw new Error('the metadata name another issuer');
    const keys = new URL(data.jwks_uri);
    if (!isEncryptedOrLocal(keys)) throw new Error('the URL of the keys is not https');
    return keys;
  }
  throw new Error(problem);
}
