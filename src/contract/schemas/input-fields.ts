import * as z from 'zod';
import { unseenIn } from '../../shared/invisible-characters.ts';
import { withFormat } from './field-format.ts';

// Fields that several sections share. Input fields forgive how a value is written ("42" for 42, as form
// bodies and some agents send it) and refuse what it cannot mean.

/** Longer text is no number, however many blanks stand around it. */
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

/** An integer from `minimum` to `maximum`; the text "42" is taken as 42. */
export function integer(minimum: number, maximum: number, description: string) {
  return wholeNumber(minimum, maximum, `must be a whole number from ${minimum} to ${maximum}`, description);
}

/** Ids and counts fit a 64-bit column, but JSON numbers are exact only up to this. */
const largestId = Number.MAX_SAFE_INTEGER;

export function id(description: string) {
  return wholeNumber(1, largestId, 'must be an id, a whole number above 0', description);
}

export function flag(description: string) {
  return z.preprocess(booleanFromText, z.boolean()).describe(description);
}

/** A lone surrogate is no character: no UTF-8 can carry it, so that the API would get something else. */
const halfCharacter = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/**
 * Text of at most so many characters. Every argument that is text begins with this: what is longer is refused before any
 * pattern, trimming or calendar sees it, since their time may grow faster than the text.
 */
export function limitedText(most: number) {
  return z
    .string()
    .max(most, { abort: true })
    .refine((value) => !halfCharacter.test(value), { error: 'must not hold half of a character', abort: true });
}

export const maxText = 100_000;

/** Free text of up to 100,000 characters; may be empty. */
export function text(description: string) {
  return limitedText(maxText).describe(description);
}

/** A name or title as the API takes it: not blank, at most 255 characters. */
export function apiTitle(description: string) {
  return limitedText(255)
    .refine((value) => value.trim() !== '', 'must not be empty')
    .describe(description);
}

/** Refuses what nobody would see: whoever reads a name or title before it is written sees all that is written. */
function refuseUnseen(value: string, context: z.core.$RefinementCtx<string>): void {
  const unseen = unseenIn(value);
  if (unseen !== undefined) context.addIssue(`: ${unseen} cannot be written`);
}

/** A name or title that is to be written: as the API takes it, and without characters that nobody sees. */
export function title(description: string) {
  return apiTitle(description).superRefine(refuseUnseen);
}

// Refinements instead of patterns: a pattern of this length in every schema costs tokens and tells the model nothing.
export const emailShape =
  /^[^\s\p{C}\p{DI}@<>(),;:"\\[\]]+@[^\s\p{C}\p{DI}@<>(),;:"\\[\]]+\.[^\s\p{C}\p{DI}@<>(),;:"\\[\].]{2,}$/u;

export function email(description: string) {
  const address = limitedText(254)
    .refine((value) => emailShape.test(value), 'must be an email address such as "ana@example.com"')
    .describe(description);
  return withFormat('email', address);
}

export const studentEmail = email("The student's email");

/** "49", "49.9" or "49.90": never a float, never a sign. */
export function price(description: string) {
  const decimal = limitedText(20)
    .refine((value) => /^\d{1,9}(\.\d{1,2})?$/.test(value), 'must be a decimal string such as "49.00"')
    .describe(description);
  return withFormat('decimal', decimal);
}
