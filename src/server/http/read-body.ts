import type { IncomingMessage } from 'node:http';
import { maxPendingBytes } from '../../protocol/input-limits.ts';
import { hasTooManyValues, tooManyValues } from '../../protocol/message-size.ts';
import { retrySoonSeconds } from './caller-limits.ts';

/** Bytes. No call of a tool comes near it. */
export const maxBody = 2 ** 20;

/** Why a body was not taken. */
export interface BodyProblem {
  readonly status: 400 | 413 | 415 | 429;
  readonly problem: string;
}

/** Takes so many bytes more of what its caller may keep waiting; false where there are not as many. */
type AddBytes = (bytes: number) => boolean;

const tooMuch: BodyProblem = {
  status: 429,
  problem: `Too many requests of this caller: they may hold ${maxPendingBytes / 2 ** 20} MiB together until they are answered; try again in ${retrySoonSeconds} s`,
};

const tooLong: BodyProblem = { status: 413, problem: `The body is longer than ${maxBody} bytes` };

function mediaType(header: string | undefined): string | undefined {
  return header?.split(';', 1)[0]?.trim().toLowerCase();
}

function headerProblem({ headers }: IncomingMessage): BodyProblem | undefined {
  if (mediaType(headers['content-type']) !== 'application/json') {
    return { status: 415, problem: 'Content-Type must be application/json' };
  }
  if (headers['content-encoding'] !== undefined) return { status: 415, problem: 'Content-Encoding is not supported' };
  return Number(headers['content-length'] ?? 0) > maxBody ? tooLong : undefined;
}

/** By events: iterating over a stream costs several times as much, and this is done for every call. */
function bytesOf(request: IncomingMessage, addBytes: AddBytes): Promise<Buffer | BodyProblem> {
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
      if (length > maxBody) return refuse(tooLong);
      if (!addBytes(chunk.length)) return refuse(tooMuch);
      chunks.push(chunk);
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
  });
}

/** Milliseconds for what a refused client still sends. */
const discardTimeoutMs = 2_000;

/**
 * Lets the rest of a refused body come and go unread. A connection that is closed while its client still writes is
 * reset, and the client never sees why it was refused.
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

/** Reads a JSON body. The value, or why there is none; rejects when the client leaves midway. */
export async function readJson(
  request: IncomingMessage,
  addBytes: AddBytes,
): Promise<{ value: unknown } | BodyProblem> {
  const problem = headerProblem(request);
  if (problem !== undefined) return problem;
  const bytes = await bytesOf(request, addBytes);
  if ('problem' in bytes) return bytes;
  try {
    // Bytes that are no UTF-8 are refused rather than replaced: what is meant is not guessed.
    const text = utf8.decode(bytes);
    if (hasTooManyValues(text)) return { status: 413, problem: `The body is too large: ${tooManyValues}` };
    return { value: JSON.parse(text) };
  } catch {
    return { status: 400, problem: 'The body is not readable JSON' };
  }
}
