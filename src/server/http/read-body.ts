import type { IncomingMessage } from 'node:http';
import { hasTooManyValues, maxPendingBytes, tooManyValues } from '../../protocol/message.ts';
import { retrySoonSeconds } from './caller-limits.ts';

/** Bytes. No tool call comes near this size. */
export const maxBody = 2 ** 20;

/** Why a body is refused. */
interface BodyProblem {
  readonly status: 400 | 413 | 415 | 429;
  readonly problem: string;
}

/** Counts bytes of unanswered requests against the caller; false if that exceeds the limit. */
type AddBytes = (bytes: number) => boolean;

const tooMuch: BodyProblem = {
  status: 429,
  problem: `Too many requests from this caller: unanswered requests may hold at most ${maxPendingBytes / 2 ** 20} MiB together. Try again in ${retrySoonSeconds} s.`,
};

const tooLong = (max: number): BodyProblem => ({ status: 413, problem: `The body is larger than ${max} bytes` });

function mediaType(header: string | undefined): string | undefined {
  return header?.split(';', 1)[0]?.trim().toLowerCase();
}

function headerProblem({ headers }: IncomingMessage, max: number): BodyProblem | undefined {
  if (mediaType(headers['content-type']) !== 'application/json') {
    return { status: 415, problem: 'Content-Type must be application/json' };
  }
  if (headers['content-encoding'] !== undefined) return { status: 415, problem: 'Content-Encoding is not supported' };
  return Number(headers['content-length'] ?? 0) > max ? tooLong(max) : undefined;
}

/** Uses events, since every call passes here: iterating over the stream takes several times as long. */
function bytesOf(request: IncomingMessage, addBytes: AddBytes, max: number): Promise<Buffer | BodyProblem> {
  let chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const refuse = (problem: BodyProblem) => {
      request.off('data', take);
      chunks = [];
      resolve(problem);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > max) return refuse(tooLong(max));
      if (!addBytes(chunk.length)) return refuse(tooMuch);
      chunks.push(chunk);
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
  });
}

/** Milliseconds that a refused client has to finish sending. */
const discardTimeoutMs = 2_000;

/**
 * Receives and discards the rest of a refused body. If the connection closed while the client still writes, the client
 * would get a reset instead of the refusal.
 */
export function discard(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, discardTimeoutMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    for (const event of ['end', 'close', 'error']) request.once(event, done);
    if (request.readableEnded) done();
    request.resume();
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a JSON body of at most `max` bytes. Resolves to the value or to a problem; rejects if the client disconnects. */
export async function readJson(
  request: IncomingMessage,
  addBytes: AddBytes,
  max: number = maxBody,
): Promise<{ value: unknown; bytes: Buffer } | BodyProblem> {
  const problem = headerProblem(request, max);
  if (problem !== undefined) return problem;
  const bytes = await bytesOf(request, addBytes, max);
  if ('problem' in bytes) return bytes;
  try {
    // Invalid UTF-8 is refused, since replacing it would guess the meaning.
    const text = utf8.decode(bytes);
    if (hasTooManyValues(text)) return { status: 413, problem: `The body is too large: ${tooManyValues}` };
    return { value: JSON.parse(text), bytes };
  } catch {
    return { status: 400, problem: 'The body is not valid JSON' };
  }
}
