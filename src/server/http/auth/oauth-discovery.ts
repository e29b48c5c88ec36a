import type { Dispatcher, RequestInit, Response as UndiciResponse } from 'undici';
import * as z from 'zod';
import { isEncryptedOrLocal, isLoopback } from '../../../shared/loopback.ts';

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

async function readJson(answer: Pick<UndiciResponse, 'body'>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > maxDocumentBytes) throw new Error('a document from the issuer is too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

async function readMetadata(location: string, fetch: IssuerFetch): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(location, { signal, headers: { accept: 'application/json' } });
  if (answer.ok) return await readJson(answer);
  await answer.body?.cancel();
  return undefined;
}

/** Fetches the key set for jose, which accepts a body of any size and any JSON. Throws for a too large or invalid one. */
export async function fetchKeySet(location: string, signal: AbortSignal, fetch: IssuerFetch): Promise<Response> {
  const answer = await fetch(location, { signal, headers: { accept: 'application/json' } });
  if (answer.ok) return Response.json(keySet.parse(await readJson(answer)));
  await answer.body?.cancel();
  throw new Error(`the request for the keys returned HTTP ${answer.status}`);
}

/** Identity providers name themselves with and without a slash at the end. */
export function isSameIssuer(one: string, other: unknown): boolean {
  return typeof other === 'string' && one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

function causeOf({ cause }: Error): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return 'code' in cause ? String(cause.code) : causeOf(cause);
}

/** Why a request failed. `fetch` gives the reason only in the cause; our own errors give it in the message. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { message, name } = error;
  return causeOf(error) ?? (name === 'Error' ? message : name);
}

export interface IssuerMetadata {
  /** As the issuer writes it. */
  readonly issuer: string;
  /** Where its keys are. */
  readonly keys: URL;
}

/** Throws if no metadata document names the keys, or if a document names another issuer. */
export async function findMetadata(issuer: string, fetch: IssuerFetch): Promise<IssuerMetadata> {
  let problem = 'no metadata document was found';
  for (const location of metadataLocations(issuer)) {
    const document = await readMetadata(location, fetch).catch((error: unknown) => {
      problem = failureReason(error);
    });
    const { data } = metadata.safeParse(document);
    if (data === undefined) continue;
    // RFC 8414, section 3.3: they must not be used.
    if (!isSameIssuer(issuer, data.issuer))
      throw new Error(`its metadata name ${data.issuer}. Set ACADEMY_OAUTH_ISSUER to the issuer that the tokens name`);
    const keys = new URL(data.jwks_uri);
    if (!isEncryptedOrLocal(keys)) throw new Error('the URL of the keys is not https');
    return { issuer: data.issuer, keys };
  }
  throw new Error(problem);
}

type IssuerFetch = (location: string, options: RequestInit) => Promise<UndiciResponse>;

/**
 * A fetch that honours HTTPS_PROXY and NO_PROXY, except for an issuer on this machine. The fetch of Node 20 and 22 does
 * not. Follows no redirects.
 */
export function createIssuerFetch(): IssuerFetch {
  const opened = new Map<boolean, Dispatcher>();
  return async (location, options) => {
    // Through `default`: undici is CommonJS, and a bundler cannot know its other names.
    const { Agent, EnvHttpProxyAgent, fetch } = (await import('undici')).default;
    const isLocal = isLoopback(new URL(location));
    const dispatcher = opened.get(isLocal) ?? (isLocal ? new Agent() : new EnvHttpProxyAgent());
    opened.set(isLocal, dispatcher);
    return await fetch(location, { ...options, redirect: 'error', dispatcher });
  };
}
