import type { Logger } from 'pino';
import type { Operation } from '../../contract/operation.ts';
import type { ParsedResponse, ResponseSchema } from '../../contract/schemas/response.ts';
import { recordKeyOf, writeOutcomeOf } from '../writes/write-outcome.ts';
import { type Outcome, retryAfterOf } from './attempt-result.ts';
import { decodeAnswer, emptyAnswer } from './decode.ts';
import { errorOfAnswer, errorOfDenial, errorOfSilence, oversizedAnswer, unreadableAnswer } from './errors.ts';
import { noteUnread } from './unreadable-paths.ts';

/** Makes an operation's answer, or its error, of what came over the wire. */
export function createDecoder(log: Logger) {
  function parse<A extends ResponseSchema>(operation: Operation, answer: A, json: unknown): ParsedResponse<A> {
    const unreadable: string[] = [];
    try {
      const read = decodeAnswer(answer, json, (path) => unreadable.push(path), operation.effect !== 'read');
      noteUnread(read, unreadable);
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

  /** Throws the error of everything that is no 2xx, and of a 2xx that denies a write. */
  function read<A extends ResponseSchema>(operation: Operation, answer: A, outcome: Outcome): ParsedResponse<A> {
    if (!('status' in outcome)) throw errorOfSilence(operation, outcome);
    if (outcome.status >= 300) throw errorOfAnswer(operation, outcome, retryAfterOf(outcome));
    const isWrite = operation.effect !== 'read';
    if (isWrite && writeOutcomeOf(outcome, recordKeyOf(operation)) === 'not_applied') throw errorOfDenial(outcome);
    const body = outcome.kind === 'answered' ? outcome.body : 'not_json';
    if (typeof body === 'object') return parse(operation, answer, body.json);
    // A 2xx to a write that nothing contradicts means that it was done, although its body was empty or lost.
    if (isWrite) return emptyAnswer(answer);
    if (outcome.kind === 'body_lost' && outcome.exceeded !== undefined) {
      throw oversizedAnswer(outcome.status, outcome.exceeded);
    }
    throw unreadableAnswer(outcome.status, outcome);
  }

  return { parse, read };
}
