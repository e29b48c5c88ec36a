import * as z from 'zod';
import { argumentSchema, type InputOf, type Operation } from '../../contract/operation.ts';
import { formatOf } from '../../contract/schemas/field-format.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { textKinds } from '../../contract/schemas/response-text.ts';
import { unwrap } from '../../contract/schemas/unwrap.ts';
import type { RecentGrant } from '../../insights/students/recent-grant.ts';
import { oneLine } from '../../shared/clean-text.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { Api, CallOptions } from '../api.ts';
import { type AttemptResult, jsonOf } from '../http/attempt-result.ts';
import { emptyAnswer } from '../http/decode.ts';
import type { EncodedRequest } from '../http/encode.ts';
import type { Decoder } from '../http/read-answer.ts';
import type { SendRequest, SendResult } from '../send-with-retries.ts';
import { otherStudentIn } from './access-in-answer.ts';
import { compareValues, type ValueComparison } from './compare-values.ts';
import { type FieldsInAnswer, fieldsInAnswer, showsCreatedRecord, showsOtherRecord } from './fields-in-answer.ts';
import type { WriteRecord } from './journal.ts';
import { type KnownOrders, recentMs } from './known-orders.ts';
import type { LessonIndex } from './lesson-index.ts';
import { meaningOf } from './meaning.ts';
import type { Write } from './write.ts';
import type { AcceptedFields } from './write-outcome.ts';
import { isDoubtfulAnswer, recordKeyOf, writeOutcomeOf } from './write-outcome.ts';

/** What is known of a record from before a write; undefined if nothing is. */
type LastKnown = Readonly<Json> | undefined;

const nothingShown: AcceptedFields = { outcome: 'applied', unchanged: {}, decides: false };

/** The result for one field. `unsure`: a number that the platform may have changed by renumbering, or not at all. */
type FieldResult = ValueComparison | 'unsure' | 'unseen';

/** The platform may renumber a place in a list. If the old number is still there, nothing moved. */
function resultOfSequence(shown: unknown, seen: LastKnown): FieldResult {
  if (seen?.sequence === undefined) return 'unsure';
  return compareValues(seen.sequence, shown) === 'same' ? 'other' : 'altered';
}

function resultOf(
  operation: Operation,
  [name, given]: [string, unknown],
  shown: FieldsInAnswer,
  seen: LastKnown,
): FieldResult {
  if (!shown.has(name)) return 'unseen';
  const now = shown.get(name);
  const isType = name === 'lesson_type';
  const [sent, received] = isType ? [given, now].map((value) => String(value).toLowerCase()) : [given, now];
  const sameness = compareValues(sent, received, formatOf(argumentSchema(operation, name)));
  return sameness === 'other' && name === 'sequence' ? resultOfSequence(now, seen) : sameness;
}

/** Free text is not repeated here: the fenced record has it. */
function inWords({ response }: Operation, name: string, value: unknown): string {
  const schema = response.kind === 'list' ? undefined : response.schema;
  const { attributes } = schema?.shape ?? {};
  const places = [schema, attributes && unwrap(attributes)];
  const field = places.flatMap((place) => (place instanceof z.ZodObject ? [place.shape[name]] : [])).find(Boolean);
  const isFree = field !== undefined && textKinds.get(unwrap(field))?.kind === 'block';
  if (typeof value === 'string')
    return isFree ? `another text of ${value.length} characters` : oneLine(value, 200) || '(empty)';
  return oneLine(JSON.stringify(value) ?? 'nothing', 200);
}

/**
 * Whether a record with a value that was sent outweighs a message. An answer to a create may repeat what was sent
 * although no record was created, so the record must have an id. Access operations have no record in their answer.
 */
function outweighsMessage(operation: Operation, body: unknown, results: readonly FieldResult[]): boolean {
  if (operation.response.kind !== 'record' || !results.includes('same')) return false;
  return operation.repeat !== 'creates' || showsCreatedRecord(operation, body);
}

/** The outcome if no sent field has its sent value. */
function outcomeOfNone(operation: Operation, body: unknown, results: readonly FieldResult[]): WriteOutcome {
  // A created record exists, whatever its fields are.
  if (operation.repeat === 'creates') return showsCreatedRecord(operation, body) ? 'applied' : 'outcome_unknown';
  return results.includes('unsure') ? 'outcome_unknown' : 'not_applied';
}

function expectedFields(operation: Operation, input: Json): [string, unknown][] {
  const { expected } = meaningOf(operation);
  const given = expected ?? input;
  const names = Object.keys(expected ?? operation.body);
  const others = operation.response.kind === 'record' ? [] : ['email'];
  return names.filter((name) => given[name] !== undefined && !others.includes(name)).map((name) => [name, given[name]]);
}

/** A name that is sent with an enrollment is not what the caller asked for, unless it is all that was sent. */
function isBeside(name: string, expected: readonly [string, unknown][]): boolean {
  return name === 'name' && expected.some(([other]) => other === 'course_id' || other === 'bundle_id');
}

/**
 * Compares what was sent with the answer of a 2xx. A field that is missing from the answer proves nothing, and neither
 * does another record.
 */
function compareAcceptedFields(operation: Operation, input: Json, body: unknown, seen: LastKnown): AcceptedFields {
  const other = otherStudentIn(operation, input, body);
  if (other !== undefined)
    return { outcome: 'outcome_unknown', unchanged: { email: oneLine(other, 200) }, decides: false };
  if (showsOtherRecord(operation, input, body))
    return { outcome: 'outcome_unknown', unchanged: { record: 'another one' }, decides: false };
  const shown = fieldsInAnswer(operation, input, body);
  if (shown.size === 0) return nothingShown;
  const expected = expectedFields(operation, input);
  const results = expected.map((field) => ({ name: field[0], result: resultOf(operation, field, shown, seen) }));
  const differing = results.filter(({ result }) => result !== 'same' && result !== 'unseen');
  const decisive = results.filter(({ name }) => !isBeside(name, expected)).map(({ result }) => result);
  const isNone = decisive.length > 0 && decisive.every((result) => result === 'other' || result === 'unsure');
  const words = differing.map(({ name }) => [name, inWords(operation, name, shown.get(name))]);
  return {
    outcome: isNone ? outcomeOfNone(operation, isObject(body) ? body : {}, decisive) : 'applied',
    unchanged: Object.fromEntries(words),
    decides: isNone || outweighsMessage(operation, body, decisive),
  };
}

/** 202 says that the work may be done later (RFC 9110, 15.3.3). An old value then proves nothing. */
function allowForDeferredWork(result: AttemptResult, accepted: AcceptedFields): AcceptedFields {
  const isLater = 'status' in result && result.status === 202 && accepted.outcome === 'not_applied';
  return isLater ? { ...accepted, outcome: 'outcome_unknown' } : accepted;
}

export interface PrepareWriteOptions {
  readonly api: Api;
  readonly decoder: Decoder;
  readonly send: (request: SendRequest) => Promise<SendResult>;
  readonly lessonIndex: LessonIndex;
  readonly orders: KnownOrders;
  readonly recentGrants: (email: string) => Promise<readonly RecentGrant[]>;
  /** See `Platform`. */
  readonly clockShiftMs: () => number;
}

/** Builds the steps of one write. `write.ts` gives their order. */
export function createPrepareWrite({
  api,
  decoder,
  send,
  lessonIndex,
  orders,
  recentGrants,
  clockShiftMs,
}: PrepareWriteOptions) {
  /** Counts the requests of a verification as the write's own. */
  function verifyingApi({ priority, onRequest, onWait }: CallOptions, signal: AbortSignal | undefined): Api {
    return { call: (operation, input) => api.call(operation, input, { priority, onRequest, onWait, signal }) };
  }

  return <O extends Operation>(
    operation: O,
    input: InputOf<O>,
    request: EncodedRequest,
    call: CallOptions,
    record?: WriteRecord,
  ): Write<ParsedResponse<O['response']>> => {
    const begun = Date.now();
    const since = () => new Date(begun + clockShiftMs() - recentMs);
    const recordKey = recordKeyOf(operation);
    const acceptedFields = (result: AttemptResult) => {
      const lastKnown = lessonIndex.lastKnown(input);
      return allowForDeferredWork(result, compareAcceptedFields(operation, input, jsonOf(result), lastKnown));
    };
    const judge = (result: AttemptResult) => {
      const isDecided = isDoubtfulAnswer(result, recordKey) && acceptedFields(result).decides;
      const proved = isDecided ? 'applied' : writeOutcomeOf(result, recordKey);
      // The audit log is written before verification, so there an answer with other values proves nothing.
      const isOpen = proved === 'applied' && acceptedFields(result).outcome !== 'applied';
      return { proved, audited: isOpen ? 'outcome_unknown' : proved } as const;
    };
    return {
      operation,
      input,
      checkedAt: call.checkedAt,
      send: (isResend, signal) =>
        send({ operation, request, input, call: { ...call, signal }, isResend, judge, record }),
      record,
      verify: (isBeforeWrite, signal) => {
        const { courseOf: courseOfLesson } = lessonIndex;
        const context = { api: verifyingApi(call, signal), since, orders, recentGrants, isBeforeWrite, courseOfLesson };
        return meaningOf(operation).verify(input, context);
      },
      parse: (result) => {
        const answer = decoder.read<O['response']>(operation, operation.response, result);
        const isOther = showsOtherRecord(operation, input, jsonOf(result));
        // Another record is not what was written, so it is not shown.
        return isOther ? emptyAnswer<O['response']>(operation.response) : answer;
      },
      acceptedFields,
      answerFrom: (record = {}) => decoder.parse<O['response']>(operation, operation.response, record),
    };
  };
}
