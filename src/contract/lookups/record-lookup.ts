import type { InputOf, Operation } from '../operation.ts';
import type { ParsedResponse } from '../schemas/response.ts';

/** The arguments of a call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Relations between records that earlier answers have shown: the API has no request for them. */
export interface RecordIndex {
  /** The course of a lesson, if a course structure has shown the lesson. */
  readonly courseOfLesson: (lessonId: number) => number | undefined;
}

/** A read request about the record that a call's arguments name, and what to take from its answer. */
export interface RecordLookup<Value> {
  readonly operation: Operation;
  /** The input of the request; undefined if the arguments and the index do not determine it. */
  readonly input: (given: Arguments, index: RecordIndex) => Arguments | undefined;
  /** Undefined if the answer does not show the record. */
  readonly value: (answer: unknown, given: Arguments) => Value | undefined;
}

/** Checks the types of a lookup against its operation. `value` is only called with an answer of that operation. */
export function defineLookup<O extends Operation, Value>(lookup: {
  readonly operation: O;
  readonly input: (given: Arguments, index: RecordIndex) => InputOf<O> | undefined;
  readonly value: (answer: ParsedResponse<O['response']>, given: Arguments) => Value | undefined;
}): RecordLookup<Value> {
  return lookup as RecordLookup<Value>;
}
