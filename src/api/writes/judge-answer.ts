import * as z from 'zod';
import { argumentSchema, type Operation } from '../../contract/operation.ts';
import { type FieldFormat, formatOf, isDateOrTime } from '../../contract/schemas/input-fields.ts';
import { textKinds, unwrap } from '../../contract/schemas/response-text.ts';
import { composed, oneLine } from '../../shared/clean-text.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { type AttemptResult, jsonOf } from '../http/attempt-result.ts';
import { recordIn } from '../http/decode.ts';
import { type Effect, isSamePerson, meaningOf, ordersIn } from './meaning.ts';
import { type AcceptedFields, isSuccess, writeOutcomeOf } from './write-outcome.ts';

/**
 * The result of a comparison. `altered`: the platform stores the value in another form, as it does with forbidden
 * markup, long texts and prices in cents.
 */
type ValueComparison = 'same' | 'altered' | 'other';

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** A text as a reader sees it: entities, Unicode normal form and white space do not matter. */
function normalize(text: string): string {
  return composed(withoutEntities(text)).replace(/\s+/g, ' ').trim();
}

/** Elements that a platform removes with their content. */
const acceptedAll = /^(script|style|iframe|object|embed)\b/i;

/**
 * A text without its markup. Scans the text once: a regular expression would restart at each bracket that is never
 * closed.
 */
function withoutMarkup(text: string): string {
  const [first = '', ...rest] = text.split('<');
  const parts = [first];
  let inside: string | undefined;
  for (const piece of rest) {
    const end = piece.indexOf('>');
    const isClosing = inside !== undefined && piece.slice(1, inside.length + 1).toLowerCase() === inside;
    if (inside === undefined || (piece.startsWith('/') && isClosing)) {
      inside = acceptedAll.exec(piece)?.[1]?.toLowerCase();
      parts.push(end < 0 ? `<${piece}` : ` ${inside === undefined ? piece.slice(end + 1) : ''}`);
    }
  }
  return parts.join('');
}

/** The words of a text, without markup and without elements that a platform removes with their content. */
export function textContentOf(text: string): string {
  return normalize(withoutMarkup(text));
}

/** "49", 49 and "49.00" are one amount; undefined if the value is not a number. */
function amountIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

const flags = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [1, true],
  [false, false],
  ['false', false],
  ['0', false],
  [0, false],
  [null, false],
]);

const hasZone = /(Z|[+-]\d\d:?\d\d)$/i;
/** No zone is further from UTC. */
const widestZone = 14 * 3_600_000;

/** A time without a zone is read as UTC. It may also be in the account's own zone, which is not known. */
function compareTimes(given: string, shown: string): ValueComparison {
  const [one, other] = [given, shown].map((text) =>
    Date.parse(hasZone.test(text) || text.length <= 10 ? text : `${text}Z`),
  );
  const apart = Math.abs((one ?? 0) - (other ?? 0));
  if (apart < 1_000) return 'same';
  return !(hasZone.test(given) && hasZone.test(shown)) && apart <= widestZone ? 'altered' : 'other';
}

/** A text of at least this length may have been cut by the platform's database. */
const shortestCut = 200;

function isCutOf(shown: string, given: string): boolean {
  const start = shown.replace(/(…|\.\.\.)$/, '').trimEnd();
  return start.length < given.length && given.startsWith(start) && (start.length >= shortestCut || start !== shown);
}

function sameText(given: string, shown: string): ValueComparison {
  const [sent, now] = [normalize(given), normalize(shown)];
  if (sent === now) return 'same';
  const isMarkup = textContentOf(given) === textContentOf(shown);
  return isMarkup || (now.length >= 20 && isCutOf(now, sent)) ? 'altered' : 'other';
}

function sameAmount(given: number, shown: number): ValueComparison {
  if (given === shown) return 'same';
  return given !== 0 && Math.abs(shown - given * 100) < 1e-6 ? 'altered' : 'other';
}

/**
 * Compares a value that was sent with the value in an answer, in any form that the API may use. `meaning` is the
 * field's.
 */
export function compareValues(given: unknown, shown: unknown, meaning?: FieldFormat): ValueComparison {
  if (given === shown) return 'same';
  if (given === null || given === '') return shown === null || shown === '' ? 'same' : 'other';
  if (typeof given === 'boolean')
    return flags.get(typeof shown === 'string' ? shown.toLowerCase() : shown) === given ? 'same' : 'other';
  if (typeof given === 'number') return amountIn(shown) === given ? 'same' : 'other';
  if (typeof given !== 'string') return JSON.stringify(given) === JSON.stringify(shown) ? 'same' : 'other';
  const [sent, now] = [amountIn(given), amountIn(shown)];
  if (meaning === 'decimal' && sent !== undefined && now !== undefined) return sameAmount(sent, now);
  if (typeof shown !== 'string') return String(shown) === given ? 'same' : 'other';
  if (meaning === 'time' && isDateOrTime(given) && isDateOrTime(shown.replace(' ', 'T')))
    return compareTimes(given, shown.replace(' ', 'T'));
  return sameText(given, shown);
}

// Judges the answer of a write: what its status and JSON prove, and then whether it shows what was sent.

const noFields: Effect = new Map();

/** The email of another student in the answer of an access operation. What it shows is then not of this call. */
function otherStudentIn({ id }: Operation, { email }: Json, body: unknown): string | undefined {
  if (!id.startsWith('access.') || !isObject(body)) return undefined;
  const own = [body.student, body.data, body].filter(isObject).map((place) => place.email);
  const buyers = ordersIn(body, {}).map((order) => order.user_email);
  const shown = [...own, ...buyers].filter((one) => typeof one === 'string');
  return shown.find((one) => one.includes('@') && !isSamePerson(one, email));
}

/** A group may be an object, a name or an id. */
function channelFields({ group, group_id = isObject(group) ? group.id : undefined, ...channel }: Json): Json {
  const none = group === null && group_id === undefined ? { group_id: null } : {};
  return { ...channel, ...none, ...(group_id === undefined ? {} : { group_id }) };
}

/** Attributes may be in an object of their own. */
function withAttributes(record: Json): Json {
  const { attributes, ...own } = record;
  return isObject(attributes) ? { ...own, ...attributes } : own;
}

/** Whether the record has another id or slug than the one that was written. Such a record proves nothing. */
function isAnother({ effect, path }: Operation, input: Json, record: Json): boolean {
  // The end of an update's path names the record itself; that of a create names its parent.
  const [, key = ''] = (effect === 'update' && /:(\w+)$/.exec(path)) || [];
  const given = input[key];
  if (given === undefined) return false;
  const known = [record.id, record.slug].filter((value) => value !== undefined && value !== null);
  if (known.length === 0 || known.some((value) => String(value) === String(given))) return false;
  // With a new title a platform may assign a new slug: the title then identifies the record.
  const renamed = ['title', 'name'].some((name) => input[name] !== undefined && input[name] === record[name]);
  return /^\d+$/.test(String(given)) || !renamed;
}

/**
 * A message for people, such as `{title: "Saved"}`, is not a record: a record has an id, its own key, or more fields.
 */
function isRecord(record: Json, body: Json, fields: readonly string[]): boolean {
  return record !== body || record.id !== undefined || fields.filter((name) => name in record).length > 1;
}

function shownRecord(operation: Operation, body: Json): Effect {
  const { response } = operation;
  if (response.kind !== 'record') return noFields;
  const found = recordIn(response, body);
  const record = withAttributes(found);
  const fields = Object.keys(operation.body);
  if (!isRecord(found, body, fields)) return noFields;
  const shown = operation.envelope === 'channel' ? channelFields(record) : record;
  return new Map(fields.flatMap((name) => (shown[name] === undefined ? [] : [[name, shown[name]] as const])));
}

/** What the JSON of an answer shows of the effect: sent fields, or what the operation changes; empty if it shows nothing. */
function fieldsInAnswer(operation: Operation, input: Json, body: unknown): Effect {
  if (!isObject(body)) return noFields;
  const { shown } = meaningOf(operation);
  return shown === 'record' ? shownRecord(operation, body) : shown(input, body);
}

/** Whether the answer to an update shows another record than the one that was updated, or a new one is in another course. */
function showsOtherRecord(operation: Operation, input: Json, body: unknown): boolean {
  if (operation.response.kind !== 'record' || operation.effect === 'read' || !isObject(body)) return false;
  const record = withAttributes(recordIn(operation.response, body));
  if (operation.effect === 'update') return isAnother(operation, input, record);
  const { course_id: course = input.course_id } = record;
  return course !== null && String(course) !== String(input.course_id);
}

function showsCreatedRecord({ response }: Operation, body: unknown): boolean {
  if (response.kind !== 'record' || !isObject(body)) return false;
  const { id } = withAttributes(recordIn(response, body));
  return id !== undefined && id !== null;
}

/** What is known of a record from before a write; undefined if nothing is. */
type LastKnown = Readonly<Json> | undefined;

const nothingCompared: AcceptedFields = { outcome: 'applied', unchanged: {}, decides: false };

/** The result for one field. `unsure`: a number that the platform may have changed by renumbering, or not at all. */
type FieldResult = ValueComparison | 'unsure' | 'unseen';

/** The platform may renumber a place in a list. If the old number is still there, nothing moved. */
function resultOfSequence(shown: unknown, seen: LastKnown): FieldResult {
  if (seen?.sequence === undefined) return 'unsure';
  return compareValues(seen.sequence, shown) === 'same' ? 'other' : 'altered';
}

function resultOf(operation: Operation, [name, given]: [string, unknown], shown: Effect, seen: LastKnown): FieldResult {
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
  if (shown.size === 0) return nothingCompared;
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

/** What the answer of one attempt proves, by its status and its JSON. */
export interface Judgement {
  /** As for the retry table: what is proved before anything is read back. */
  readonly proved: WriteOutcome;
  /** For the audit log, which is written before anything is read back: an answer with other values proves nothing. */
  readonly audited: WriteOutcome;
  readonly accepted: AcceptedFields;
  /** Whether the answer shows another record than the one that was written. */
  readonly isOther: boolean;
}

/** The one judge of the answers of a write. `lastKnown`: what was known of its record just before. */
export function judgeAnswer(operation: Operation, input: Json, lastKnown: LastKnown, result: AttemptResult): Judgement {
  const json = jsonOf(result);
  const compared = isSuccess(result) ? compareAcceptedFields(operation, input, json, lastKnown) : nothingCompared;
  // 202 says that the work may be done later (RFC 9110, 15.3.3). An old value then proves nothing.
  const isLater = 'status' in result && result.status === 202 && compared.outcome === 'not_applied';
  const accepted: AcceptedFields = isLater ? { ...compared, outcome: 'outcome_unknown' } : compared;
  const said = writeOutcomeOf(result, operation);
  // A message that may deny the write leaves it open, unless the fields decide.
  const isDoubtful = said === 'outcome_unknown' && json !== undefined;
  const proved = isDoubtful && accepted.decides ? 'applied' : said;
  const isOpen = proved === 'applied' && accepted.outcome !== 'applied';
  const isOther = showsOtherRecord(operation, input, json);
  return { proved, audited: isOpen ? 'outcome_unknown' : proved, accepted, isOther };
}
