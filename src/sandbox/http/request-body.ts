import type { IncomingMessage } from 'node:http';
import { isObject, type Json } from '../../shared/json.ts';
import { Problem } from '../handler.ts';

/** `Token token=KEY` (as in Rails, KEY may be quoted and other pairs may follow) or `Bearer KEY`. Undefined if there is none. */
export function keyOf(authorization: string | undefined): string | undefined {
  const [, scheme = '', credentials = ''] = /^(token|bearer)\s+(.*)$/i.exec(authorization?.trim() ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials || undefined;
  const [, quoted, plain] = /^token=(?:"([^"]+)"|([^",;\s]+))/.exec(credentials) ?? [];
  return quoted ?? plain;
}

const maxBody = 1024 * 1024;

export type RequestBody = Awaited<ReturnType<typeof readBody>>;

/**
 * Reads a JSON or form body. An empty body has no fields. Throws a Problem: 413 over 1 MiB, 400 for a body that is not a
 * JSON object or a valid form.
 */
export async function readBody(request: IncomingMessage) {
  const type = request.headers['content-type'] ?? '';
  // A form has only text, so a blank may mean null.
  const isForm = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type);
  const bytes = await readBytes(request);
  if (bytes.length === 0) return { fields: {}, isForm };
  return { fields: isForm ? await parseForm(bytes, type) : parseJson(bytes), isForm };
}

/** Reads a body that is too large to its end: a client reads the response only after it has sent its request. */
async function readBytes(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size <= maxBody) chunks.push(chunk);
    }
  } catch {
    throw badRequest('The request body is incomplete');
  }
  if (size > maxBody) throw new Problem(413, 'payload_too_large', 'The request body is larger than 1 MiB');
  return Buffer.concat(chunks);
}

function parseJson(bytes: Uint8Array): Json {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw badRequest('The request body is not valid JSON');
  }
  if (!isObject(value)) throw badRequest('The request body must be a JSON object');
  return value;
}

async function parseForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Json> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    return nest(form);
  } catch {
    throw badRequest('The request body is not a valid form');
  }
}

/** In a form, `channel[name]=General` means `{"channel": {"name": "General"}}`. */
function nest(entries: Iterable<readonly [string, unknown]>): Json {
  const fields = new Map<string, unknown>();
  for (const [name, value] of entries) {
    const [, outer = name, inner] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name) ?? [];
    const known = fields.get(outer);
    fields.set(outer, inner === undefined ? value : { ...(isObject(known) ? known : {}), [inner]: value });
  }
  return Object.fromEntries(fields);
}

const badRequest = (message: string) => new Problem(400, 'bad_request', message);
