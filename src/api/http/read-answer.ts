import type { Logger } from 'pino';
import type { Operation } from '../../contract/operation.ts';
import type { ParsedResponse, ResponseSchema } from '../../contract/schemas/response.ts';
import { recordKeyOf, writeOutcomeOf } from '../writes/write-outcome.ts';
import { noteAge } from './answer-age.ts';
import { type AttemptResult, ageIn, retryAfterOf } from './attempt-result.ts';
import { decodeAnswer, emptyAnswer } from './decode.ts';
import {
  deniedWriteError,
  noResponseError,
  oversizedResponseError,
  responseError,
  unreadableResponseError,
} from './errors.ts';
import { noteListClaims } from './list-claims.ts';
import { noteUnreadablePaths } from './unreadable-paths.ts';

export type Decoder = ReturnType<typeof createDecoder>;

/** Turns the result of an attempt into the operation's answer, or into its error. */
export function createDecoder(log: Logger) {
  function parse<A extends ResponseSchema>(operation: Operation, answer: A, json: unknown): ParsedResponse<A> {
    const unreadable: string[] = [];
    try {
      const read = decodeAnswer(answer, json, (path) => unreadable.push(path), operation.effect !== 'read');
      noteUnreadablePaths(read, unreadable);
      return read;
    } catch (error) {
      if (operation.effect === 'read') throw error;
      return emptyAnswer(answer);
    } finally {
      const fields = unreadable.slice(0, 20);
      if (fields.length > 0)
        log.warn({ operation: operation.id, fields }, 'values of an unexpected type were left out');
    }
  }

  /** Throws the error of any result other than a 2xx, and of a 2xx that denies a write. */
  function read<A extends ResponseSchema>(operation: Operation, answer: A, result: AttemptResult): ParsedResponse<A> {
    if (!('status' in result)) throw noResponseError(operation, result);
    if (result.status >= 300) throw responseError(operation, result, retryAfterOf(result));
    const isWrite = operation.effect !== 'read';
    if (isWrite && writeOutcomeOf(result, recordKeyOf(operation)) === 'not_applied') throw deniedWriteError(result);
    const body = result.kind === 'answered' ? result.body : 'not_json';
    if (typeof body === 'object') {
      const read = parse(operation, answer, body.json);
      noteAge(read, ageIn(result.headers));
      const items = answer.kind === 'list' && 'items' in read ? read.items : undefined;
      if (answer.kind === 'list' && Array.isArray(items)) noteListClaims(items, answer, body.json, result);
      return read;
    }
    // A 2xx that nothing contradicts means that the write was done, even if the body was empty or lost.
    if (isWrite) return emptyAnswer(answer);
    if (result.kind === 'body_lost' && result.exceeded !== undefined) {
      throw oversizedResponseError(result.status, result.exceeded);
    }
    throw unreadableResponseError(result.status, result);
  }

  return { parse, read };
}
