import { shownFields } from '../../contract/lookups.ts';
import { argumentSchema, type Operation } from '../../contract/operation.ts';
import { type FieldFormat, formatOf, isDateOrTime } from '../../contract/schemas/input-fields.ts';
import { fieldOf } from '../../contract/schemas/response-text.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import { composed, oneLine } from '../../shared/clean-text.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { AttemptResult } from '../http/attempt-result.ts';
import { coerce } from '../http/coerce.ts';
import { isAnotherRecord, recordIn } from '../http/decode.ts';
import { type AcceptedFields, writeOutcomeOf } from './write-outcome.ts';

/** `altered`: the platform stores the value in another form, as it does with forbidden markup, long texts and prices in cents. */
type Comparison = 'same' | 'altered' | 'other';

const entities = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', '#39': "'", '#x27': "'", '#34': '"' }),
);

/** A text as a reader sees it: entities, Unicode normal form and white space do not matter. */
function normalize(text: string): string {
  const plain = text.replace(/&([#\w]+);/g, (whole, name: string) => entities.get(name.toLowerCase()) ?? whole);
  return composed(plain).replace(/\s+/g, ' ').trim();
}

export function textContentOf(text: string): string {
  return normalize(text.replace(/<[^<>]*>/g, ' '));
}

const hasZone = /(Z|[+-]\d\d:?\d\d)$/i;
/** No zone is further from UTC. */
const widestZone = 14 * 3_600_000;

/** A time without a zone is read as UTC. It may also be in the account's own zone, which is not known. */
function compareTimes(sent: string, shown: string): Comparison {
  const [one, other] = [sent, shown].map((text) =>
    Date.parse(hasZone.test(text) || text.length <= 10 ? text : `${text}Z`),
  );
  const apart = Math.abs((one ?? 0) - (other ?? 0));
  if (apart < 1_000) return 'same';
  return !(hasZone.test(sent) && hasZone.test(shown)) && apart <= widestZone ? 'altered' : 'other';
}

/** A text of at least this length may have been cut by the platform's database. */
const shortestCut = 200;

function isCutOf(shown: string, sent: string): boolean {
  const start = shown.replace(/(…|\.\.\.)$/, '').trimEnd();
  return start.length < sent.length && sent.startsWith(start) && (start.length >= shortestCut || start !== shown);
}

function compareTexts(written: string, shown: string): Comparison {
  const [sent, now] = [normalize(written), normalize(shown)];
  if (sent === now) return 'same';
  const isMarkup = textContentOf(written) === textContentOf(shown);
  return isMarkup || (now.length >= 20 && isCutOf(now, sent)) ? 'altered' : 'other';
}

function compareAmounts(sent: number, shown: number): Comparison {
  if (sent === shown) return 'same';
  return sent !== 0 && Math.abs(shown - sent * 100) < 1e-6 ? 'altered' : 'other';
}

/** Compares a value that was sent with the one that is shown, as the contract reads it. `format` is the field's. */
export function compareValues(written: unknown, shown: unknown, format?: FieldFormat): Comparison {
  if (typeof written !== 'string' || typeof shown !== 'string') {
    const [sent, now] = [written, shown].map((value) => JSON.stringify(value === '' ? null : value));
    return sent === now ? 'same' : 'other';
  }
  const [sent, now] = [Number(written), Number(shown)];
  if (format === 'decimal' && Number.isFinite(sent) && Number.isFinite(now)) return compareAmounts(sent, now);
  const time = shown.replace(' ', 'T');
  return format === 'time' && isDateOrTime(written) && isDateOrTime(time)
    ? compareTimes(written, time)
    : compareTexts(written, shown);
}

/** What is known of a record from before a write; undefined if nothing is. */
type LastKnown = Readonly<Json> | undefined;

/** The result for one field. `unsure`: a number that the platform may have changed by renumbering, or not at all. */
type FieldResult = Comparison | 'unseen' | 'unsure';

/** Compares each field that was sent with a record. Of the fields in `cut`, the API shows the first 4,000 characters. */
export function compareFields(
  operation: Operation,
  input: Json,
  shown: Json,
  before: LastKnown,
  cut: readonly string[] = [],
) {
  const resultOf = (name: string, sent: unknown): FieldResult => {
    if (!(name in shown)) return 'unseen';
    const part = cut.includes(name) && typeof sent === 'string' ? sent.slice(0, 4_000) : sent;
    const [written, now] = [part, shown[name]].map((one) => (name === 'lesson_type' ? String(one).toLowerCase() : one));
    const result = compareValues(written, now, formatOf(argumentSchema(operation, name)));
    if (result !== 'other' || name !== 'sequence') return result;
    // The platform may renumber a place in a list. If the old number is still there, nothing moved.
    if (before?.sequence === undefined) return 'unsure';
    return before.sequence === now ? 'other' : 'altered';
  };
  const sent = Object.entries(input).filter(([name, value]) => value !== undefined && name in operation.body);
  return sent.map(([name, value]) => [name, resultOf(name, value)] as const);
}

/** The fields of the record in an answer, as the contract reads them; undefined if the answer shows no record. */
function recordShown({ response, body: fields }: Operation, body: unknown): Json | undefined {
  if (response.kind !== 'record' || !isObject(body)) return undefined;
  const found = recordIn(response, body);
  const record = shownFields(coerce(response.schema, found, () => {}));
  // A message for people, such as `{title: "Saved"}`, is no record: a record has an id, its own key, or more fields.
  const isMessage = found === body && record.id === undefined;
  return isMessage && Object.keys(fields).filter((name) => name in record).length < 2 ? undefined : record;
}

/** What shows that an answer is about another student or record: then it proves nothing. */
function otherIn({ effect }: Operation, input: Json, body: unknown, record: Json = {}) {
  if (typeof input.email === 'string') {
    const places = isObject(body) ? [body.student, body.data, body, body.order].filter(isObject) : [];
    const emails = places.map(({ email, user_email }) => email ?? user_email).filter((one) => typeof one === 'string');
    const other = emails.find((one) => one.includes('@') && buyerKey(one) !== buyerKey(String(input.email)));
    if (other !== undefined) return { email: oneLine(other, 200) };
    // Of a grant: an order that lists other courses.
    const courses = places.flatMap((one) => (Array.isArray(one.courses) ? one.courses.filter(isObject) : []));
    const isOther = effect === 'create' && courses.length > 0 && courses.every(({ id }) => id !== input.course_id);
    return isOther && input.course_id !== undefined ? { course_id: 'another one' } : undefined;
  }
  const { course_id: course = input.course_id } = record;
  // With a new title a platform may assign a new slug: the title then identifies the record.
  const isRenamed = ['title', 'name'].some((name) => input[name] !== undefined && input[name] === record[name]);
  const isOther =
    effect === 'update'
      ? isAnotherRecord(input, record) && !(isRenamed && /\D/.test(String(input.id_or_slug ?? '')))
      : course !== input.course_id;
  return isOther ? { record: 'another one' } : undefined;
}

/** Free text is not repeated here: the fenced record has it. */
function inWords({ response }: Operation, name: string, value: unknown): string {
  const fields = response.kind === 'list' ? undefined : fieldOf(response.schema).fields;
  const field = fields?.get(name) ?? fields?.get('attributes')?.fields?.get(name);
  if (typeof value !== 'string') return oneLine(JSON.stringify(value) ?? 'nothing', 200);
  return field?.text?.kind === 'block'
    ? `another text of ${value.length} characters`
    : oneLine(value, 200) || '(empty)';
}

/** A field that the answer does not show proves nothing. `isLater`: an old value proves nothing either. */
function compareRecord(
  operation: Operation,
  input: Json,
  record: Json,
  before: LastKnown,
  isLater: boolean,
): AcceptedFields {
  const fields = compareFields(operation, input, record, before);
  const differing = fields.filter(([, result]) => result !== 'same' && result !== 'unseen');
  const results = fields.map(([, result]) => result);
  const isNone = results.every((result) => result === 'other' || result === 'unsure');
  // An answer to a create may repeat what was sent although no record was created. One with an id exists, even if its fields differ.
  const isCreate = operation.repeat === 'creates';
  const exists = !isCreate || record.id !== undefined;
  const isOpen = isCreate || isLater || results.includes('unsure');
  const ofNone: WriteOutcome = isOpen ? 'outcome_unknown' : 'not_applied';
  return {
    outcome: isNone && !(isCreate && exists) ? ofNone : 'applied',
    unchanged: Object.fromEntries(differing.map(([name]) => [name, inWords(operation, name, record[name])])),
    decides: isNone || (exists && results.includes('same')),
  };
}

export interface Judgement {
  /** As for the retry table: what is proved before anything is read back. */
  readonly proved: WriteOutcome;
  /** For the audit log, which is written before anything is read back: an answer with other values proves nothing. */
  readonly audited: WriteOutcome;
  readonly accepted: AcceptedFields;
  /** Whether the answer is about another record than the one that was written. */
  readonly isOther: boolean;
}

const nothingCompared: AcceptedFields = { outcome: 'applied', unchanged: {}, decides: false };

/** The one judge of the answers of a write. `before`: what was known of its record just before. Nothing depends on that of a read. */
export function judgeAnswer(operation: Operation, input: Json, before: LastKnown, result: AttemptResult): Judgement {
  if (operation.effect === 'read')
    return { proved: 'applied', audited: 'applied', accepted: nothingCompared, isOther: false };
  const said = writeOutcomeOf(result, operation.response);
  const isJson = result.kind === 'answered' && result.status < 300 && result.body === 'json';
  if (!isJson) return { proved: said, audited: said, accepted: nothingCompared, isOther: false };
  const { json, status } = result;
  const record = recordShown(operation, json);
  const other = otherIn(operation, input, json, record);
  // 202: RFC 9110, 15.3.3.
  const compared = record && compareRecord(operation, input, record, before, status === 202);
  const ofOther = other && ({ outcome: 'outcome_unknown', unchanged: other, decides: false } as const);
  const accepted = ofOther ?? compared ?? nothingCompared;
  // A message that may deny the write leaves it open, unless the fields decide.
  const proved = said === 'outcome_unknown' && accepted.decides ? 'applied' : said;
  const isOpen = proved === 'applied' && accepted.outcome !== 'applied';
  return { proved, audited: isOpen ? 'outcome_unknown' : proved, accepted, isOther: other !== undefined };
}
