import * as z from 'zod';
import { findInvisible } from '../../shared/invisible-characters.ts';

/** The format of a text argument whose spellings can differ and mean the same: "49.5" is "49.50", emails ignore case. */
export type FieldFormat = 'email' | 'decimal' | 'time';

const formats = z.registry<{ format: FieldFormat }>();

/** Marks a field. Schemas derived from it (`describe`, `optional`, further refinements) keep the mark. */
export function withFormat<Schema extends z.ZodType>(format: FieldFormat, schema: Schema): Schema {
  formats.add(schema, { format });
  return schema;
}

/** Undefined for a value that equals only itself, character by character. */
export function formatOf(schema: z.ZodType | undefined): FieldFormat | undefined {
  if (schema === undefined) return undefined;
  const own = formats.get(schema)?.format;
  if (own !== undefined) return own;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? formatOf(schema.unwrap() as z.ZodType)
    : undefined;
}

// Kinds of arguments. They accept a number or flag written as text ("42" for 42, as form bodies and some agents send it)
// and refuse every other wrong type.

/** Longer text is not read as a number, even if most of it is white space. */
const maxNumber = 100;

function fromText(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > maxNumber) return value;
  return /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value;
}

function booleanFromText(value: unknown): unknown {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

function wholeNumber(minimum: number, maximum: number, message: string, description: string) {
  return z.preprocess(fromText, z.int(message).min(minimum, message).max(maximum, message)).describe(description);
}

/** An integer from `minimum` to `maximum`. The text "42" counts as 42. */
export function integer(minimum: number, maximum: number, description: string) {
  return wholeNumber(minimum, maximum, `must be a whole number from ${minimum} to ${maximum}`, description);
}

/** The API stores ids as 64-bit integers, but JSON numbers are exact only up to this one. */
const largestId = Number.MAX_SAFE_INTEGER;

export function id(description: string) {
  return wholeNumber(1, largestId, 'must be an id, a whole number above 0', description);
}

export function flag(description: string) {
  return z.preprocess(booleanFromText, z.boolean()).describe(description);
}

/**
 * Text of at most `maxLength` characters. Every text argument starts with this. It refuses longer text before a pattern,
 * trimming or calendar reads it: their time may grow faster than the text.
 */
export function limitedText(maxLength: number) {
  return (
    z
      .string()
      .max(maxLength, { abort: true })
      // UTF-8 cannot carry a lone surrogate: the API would receive another character.
      .refine((value) => value.isWellFormed(), { error: 'must not hold half of a character', abort: true })
  );
}

const maxText = 100_000;

/** Free text of up to 100,000 characters. May be empty. */
export function text(description: string) {
  return limitedText(maxText).describe(description);
}

/** A name or title as the API accepts it: not blank, at most 255 characters. */
export function apiTitle(description: string) {
  return limitedText(255)
    .refine((value) => value.trim() !== '', 'must not be empty')
    .describe(description);
}

/** Refuses invisible characters: a person who confirms a write must see the whole name or title. */
function refuseUnseen(value: string, context: z.core.$RefinementCtx<string>): void {
  const unseen = findInvisible(value);
  if (unseen !== undefined) context.addIssue(`: ${unseen} cannot be written`);
}

/** A name or title to write: as the API accepts it, without invisible characters. */
export function title(description: string) {
  return apiTitle(description).superRefine(refuseUnseen);
}

// A refinement, not a schema pattern: this pattern in every tool's schema would cost tokens and tell the model nothing.
export const emailShape =
  /^[^\s\p{C}\p{DI}@<>(),;:"\\[\]]+@[^\s\p{C}\p{DI}@<>(),;:"\\[\]]+\.[^\s\p{C}\p{DI}@<>(),;:"\\[\].]{2,}$/u;

export function email(description: string) {
  const address = limitedText(254)
    .refine((value) => emailShape.test(value), 'must be an email address such as "ana@example.com"')
    .describe(description);
  return withFormat('email', address);
}

/** "49", "49.9" or "49.90": text without a sign, never a float. */
export function price(description: string) {
  const decimal = limitedText(20)
    .refine((value) => /^\d{1,9}(\.\d{1,2})?$/.test(value), 'must be a decimal string such as "49.00"')
    .describe(description);
  return withFormat('decimal', decimal);
}

/** Characters that a server or proxy could read as the end of a segment, or decode a second time. */
const unsafeInPath = /[\s\p{C}/\\%?#;]/u;

const maxSegment = 200;

/**
 * True for text that stays one segment of a path, also after Unicode normalization (NFKC turns full-width dots into
 * dots). The document defines no alphabet for ids and slugs: any safe text is accepted, and encoded.
 */
export function isPathSegment(value: string): boolean {
  // Checked first: the time of Unicode normalization grows with the square of a run of combining marks.
  if (value.length > maxSegment) return false;
  const normal = value.normalize('NFKC');
  return /[^.]/.test(normal) && !unsafeInPath.test(value) && !unsafeInPath.test(normal);
}

/** Some agents send an id or slug of digits as a number. */
export function textFromId(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
}

/** An id, slug or public order id in a path. */
function segment(description: string) {
  return z
    .preprocess(
      textFromId,
      limitedText(maxSegment).refine(
        isPathSegment,
        'must be 1 to 200 characters, without blanks and without / \\ % ? # ;',
      ),
    )
    .describe(description);
}

export const idOrSlug = segment;
export const publicOrderId = segment;

const isoDate = z.iso.date();
const isoTime = z.iso.datetime({ offset: true, local: true });

const maxDate = 40;
/** Times are computed in nanoseconds, so a tenth digit would be lost. */
const tooFine = /\.\d{10}/;

/** True for a day ("2026-02-28") or a time, with or without offset ("2026-02-28T09:30:00Z"). */
export function isDateOrTime(value: string): boolean {
  if (value.length > maxDate || tooFine.test(value)) return false;
  return isoDate.safeParse(value).success || isoTime.safeParse(value).success;
}

function dateLike(message: string, description: string) {
  const time = limitedText(maxDate)
    .refine((value) => !tooFine.test(value), { error: 'must have at most 9 digits after the point', abort: true })
    .refine(isDateOrTime, message)
    .describe(description);
  return withFormat('time', time);
}

export function dateOrTime(description: string) {
  return dateLike('must be an ISO 8601 date or time such as "2026-02-28" or "2026-02-28T09:30:00Z"', description);
}

export function timestamp(description: string) {
  return dateLike('must be an ISO 8601 timestamp such as "2026-02-28T09:30:00Z"', description);
}

/**
 * How tools/list shows an argument, if not in full. `bare`: without description, since its name says all, or the server's
 * instructions describe it once for all tools. `shapeless`: without the shape of its parts, since another tool lists it. The documents show both
 * in full, and the server checks both in full.
 */
export type ListedForm = 'bare' | 'shapeless';

/** A registry instead of `.meta()` keeps it out of JSON Schemas. */
export const listedForms = z.registry<{ readonly form: ListedForm }>();

/** An argument that its name or the instructions describe. Mark the schema within `optional()`. */
export function describedOnce<Schema extends z.ZodType>(schema: Schema): Schema {
  listedForms.add(schema, { form: 'bare' });
  return schema;
}

/** The same argument in a tool that need not list its shape again. */
export function shapedElsewhere<Schema extends z.ZodType>(schema: Schema): Schema {
  const copy = schema.clone();
  listedForms.add(copy, { form: 'shapeless' });
  return copy;
}

// Arguments that operations of several sections take.

export const studentEmail = describedOnce(email("The student's email"));
export const courseId = describedOnce(id('Course id, from list_courses or search_products'));
export const bundleId = describedOnce(id('Bundle id, from list_bundles or search_products'));

export function pageNumber(description?: string) {
  const page = integer(1, 1_000_000, description ?? 'Page number from 1');
  return (description === undefined ? describedOnce(page) : page).optional();
}
