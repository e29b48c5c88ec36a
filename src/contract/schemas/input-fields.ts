import * as z from 'zod';
import { unseenIn } from '../../shared/invisible-characters.ts';
import { withFormat } from './field-format.ts';

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

/** UTF-8 cannot carry a lone surrogate: the API would receive another character. */
const halfCharacter = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/**
 * Text of at most `maxLength` characters. Every text argument starts with this. It refuses longer text before a pattern,
 * trimming or calendar reads it: their time may grow faster than the text.
 */
export function limitedText(maxLength: number) {
  return z
    .string()
    .max(maxLength, { abort: true })
    .refine((value) => !halfCharacter.test(value), { error: 'must not hold half of a character', abort: true });
}

export const maxText = 100_000;

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
  const unseen = unseenIn(value);
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
