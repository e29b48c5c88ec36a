import * as z from 'zod';
import { argumentSchema, type Operation } from '../../contract/operation.ts';
import { formatOf } from '../../contract/schemas/field-format.ts';
import { textKinds } from '../../contract/schemas/response-text.ts';
import { oneLine } from '../../shared/clean-text.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { Outcome } from '../http/attempt-result.ts';
import { wantedByEffect } from './access-in-answer.ts';
import { compareValues, type Sameness } from './compare-values.ts';
import { type ShownFields, shownFields, showsRecord } from './fields-in-answer.ts';

/** What became of the fields of a write, as its answer shows them. */
export interface Taken {
  readonly outcome: WriteOutcome;
  /** Fields that are shown with another value than was sent, with that value in words. */
  readonly unchanged: Readonly<Record<string, string>>;
}

/** What was seen of a record before a write; undefined where nothing was. */
export type LastSeen = Readonly<Json> | undefined;

const takenWhole: Taken = { outcome: 'applied', unchanged: {} };

/** How one field came out. `unsure`: a number that the platform may have given anew, or never have changed. */
type FieldResult = Sameness | 'unsure' | 'unseen';

/** A place in a list may be numbered anew by the platform; that it is the one from before shows that nothing moved. */
function resultOfSequence(shown: unknown, seen: LastSeen): FieldResult {
  if (seen?.sequence === undefined) return 'unsure';
  return compareValues(seen.sequence, shown) === 'same' ? 'other' : 'altered';
}

function resultOf(
  operation: Operation,
  [name, given]: [string, unknown],
  shown: ShownFields,
  seen: LastSeen,
): FieldResult {
  if (!shown.has(name)) return 'unseen';
  const now = shown.get(name);
  const isType = name === 'lesson_type';
  const [sent, kept] = isType ? [given, now].map((value) => String(value).toLowerCase()) : [given, now];
  const sameness = compareValues(sent, kept, formatOf(argumentSchema(operation, name)));
  return sameness === 'other' && name === 'sequence' ? resultOfSequence(now, seen) : sameness;
}

/** Free text is not repeated: it stands, fenced, with the record. */
function inWords({ response }: Operation, name: string, value: unknown): string {
  const schema = response.kind === 'list' ? undefined : response.schema;
  const attributes: unknown = schema?.shape.attributes;
  const fields = [schema, attributes instanceof z.ZodOptional ? attributes.unwrap() : attributes];
  const field = fields.flatMap((place) => (place instanceof z.ZodObject ? [place.shape[name]] : [])).find(Boolean);
  const plain: unknown = field instanceof z.ZodNullable || field instanceof z.ZodOptional ? field.unwrap() : field;
  const isFree = plain instanceof z.ZodString && textKinds.get(plain)?.kind === 'block';
  if (typeof value === 'string')
    return isFree ? `another text of ${value.length} characters` : oneLine(value, 200) || '(empty)';
  return oneLine(JSON.stringify(value) ?? 'nothing', 200);
}

/** The outcome where no field of those that were sent came out as sent. */
function outcomeOfNone(operation: Operation, body: unknown, results: readonly FieldResult[]): WriteOutcome {
  // A record that was made is there, whatever its fields are.
  if (operation.repeat === 'creates') return showsRecord(operation, body) ? 'applied' : 'outcome_unknown';
  return results.includes('unsure') ? 'outcome_unknown' : 'not_applied';
}

function wantedOf(operation: Operation, input: Json): [string, unknown][] {
  const given = operation.id in wantedByEffect ? (wantedByEffect[operation.id] ?? {}) : input;
  const names = operation.id in wantedByEffect ? Object.keys(given) : Object.keys(operation.body);
  const others = operation.response.kind === 'record' ? [] : ['email'];
  return names.filter((name) => given[name] !== undefined && !others.includes(name)).map((name) => [name, given[name]]);
}

/** A name that was sent with an enrollment is no part of what was asked for, save where nothing else was. */
function isBeside(name: string, wanted: readonly [string, unknown][]): boolean {
  return name === 'name' && wanted.some(([other]) => other === 'course_id' || other === 'bundle_id');
}

/**
 * Compares what was sent with what the answer of a 2xx shows of it. Fields that are not shown leave all open; a record that is
 * plainly another proves nothing.
 */
export function takenOf(operation: Operation, input: Json, body: unknown, seen: LastSeen): Taken {
  const shown = shownFields(operation, input, body);
  if (shown.size === 0) return takenWhole;
  const wanted = wantedOf(operation, input);
  const results = wanted.map((field) => ({ name: field[0], result: resultOf(operation, field, shown, seen) }));
  const differing = results.filter(({ result }) => result !== 'same' && result !== 'unseen');
  const decisive = results.filter(({ name }) => !isBeside(name, wanted)).map(({ result }) => result);
  const isNone = decisive.length > 0 && decisive.every((result) => result === 'other' || result === 'unsure');
  const words = differing.map(({ name }) => [name, inWords(operation, name, shown.get(name))]);
  return {
    outcome: isNone ? outcomeOfNone(operation, isObject(body) ? body : {}, decisive) : 'applied',
    unchanged: Object.fromEntries(words),
  };
}

/** 202 says that the work may be done later (RFC 9110, 15.3.3): what still shows its old value proves nothing then. */
export function takenSoFar(outcome: Outcome, taken: Taken): Taken {
  const isLater = 'status' in outcome && outcome.status === 202 && taken.outcome === 'not_applied';
  return isLater ? { ...taken, outcome: 'outcome_unknown' } : taken;
}
