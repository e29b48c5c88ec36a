import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { type AcceptedRequest, HttpRefusal } from '../../protocol/http-response.ts';
import { hasTooManyValues, maxPendingBytes, tooManyValues } from '../../protocol/message.ts';
import { rpcCodes } from '../../shared/errors.ts';
import { retrySoonSeconds } from './caller-limits.ts';

/** Bytes. No tool call comes near this size. */
const maxBody = 2 ** 20;

/** Part of the body may be unread, so the connection cannot be reused. */
const refusal = (status: number, problem: string, code?: number) =>
  new HttpRefusal(status, problem, { connection: 'close' }, code);

type AddBytes = AcceptedRequest['addBytes'];

const tooMuch = () =>
  new HttpRefusal(
    429,
    `Too many requests from this caller: unanswered requests may hold at most ${maxPendingBytes / 2 ** 20} MiB together. Try again in ${retrySoonSeconds} s.`,
    { connection: 'close', 'retry-after': String(retrySoonSeconds) },
  );

const tooLong = (max: number) => refusal(413, `The body is larger than ${max} bytes`);

function checkHeaders({ headers }: IncomingMessage, max: number): void {
  const [type] = headers['content-type']?.split(';', 1) ?? [];
  if (type?.trim().toLowerCase() !== 'application/json') throw refusal(415, 'Content-Type must be application/json');
  if (headers['content-encoding'] !== undefined) throw refusal(415, 'Content-Encoding is not supported');
  if (Number(headers['content-length'] ?? 0) > max) throw tooLong(max);
}

/** Uses events, since every call passes here: iterating over the stream takes several times as long. */
function bytesOf(request: IncomingMessage, addBytes: AddBytes, max: number): Promise<Buffer> {
  let chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const refuse = (problem: HttpRefusal) => {
      request.off('data', take);
      chunks = [];
      reject(problem);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > max) return refuse(tooLong(max));
      if (!addBytes(chunk.length)) return refuse(tooMuch());
      chunks.push(chunk);
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
  });
}

const discardTimeoutMs = 2_000;

/** If the connection closed while the client still writes, it would get a reset instead of the refusal. */
async function discard(request: IncomingMessage): Promise<void> {
  request.resume();
  await finished(request, { signal: AbortSignal.timeout(discardTimeoutMs) }).catch(() => {});
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Invalid UTF-8 is refused, since replacing it would guess the meaning. */
function parse(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    if (hasTooManyValues(text)) throw refusal(413, `The body is too large: ${tooManyValues}`);
    return JSON.parse(text);
  } catch (error) {
    throw error instanceof HttpRefusal ? error : refusal(400, 'The body is not valid JSON', rpcCodes.parse);
  }
}

/** Reads a JSON body of at most `max` bytes. Throws `HttpRefusal`; rejects if the client disconnects. */
export async function readJson(request: IncomingMessage, addBytes: AddBytes, max: number = maxBody) {
  try {
    checkHeaders(request, max);
    const bytes = await bytesOf(request, addBytes, max);
    return { value: parse(bytes), bytes };
  } catch (error) {
    if (error instanceof HttpRefusal) await discard(request);
    throw error;
  }
}
