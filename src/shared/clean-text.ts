import { invisible } from './invisible-characters.ts';

/** Most text needs no cleaning: ASCII, Latin and Cyrillic letters and the marks of typographers. Neither blank nor invisible. */
const visible = '\\x21-\\x7e\\xa1-\\xac\\xae-\\u024f\\u0400-\\u0481\\u2010-\\u2027\\u20ac';
const plainText = new RegExp(`^[\\t\\n ${visible}]*$`);
const plainLine = new RegExp(`^[${visible}]+(?: [${visible}]+)*$`);
const lineEnds = /\r\n?|[\u2028\u2029]/g;

/** Removes invisible characters, but keeps the joiners that emoji and some scripts need. Line breaks become `\n`. */
export function cleanText(value: string): string {
  if (plainText.test(value)) return value;
  return value.toWellFormed().replace(lineEnds, '\n').replace(invisible(), '');
}

/** Whether `shown` lacks a part of the text, other than the kind of its line ends and spaces at its ends. */
export function isAltered(value: string, shown: string): boolean {
  return value !== shown && value.replace(lineEnds, '\n').trim() !== shown.trim();
}

/** Puts a text on one line: collapses white space to single spaces, and cuts to `limit` characters with an ellipsis. */
export function oneLine(value: string, limit: number): string {
  if (value.length <= limit && plainLine.test(value)) return value;
  const line = cleanText(value).replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${cutAt(line, limit - 1)}…`;
}

/** Characters. Longer text is not normalized: the time grows with the square of a run of combining marks. */
const maxNormalized = 1_000;

/** Normalizes to composed characters (NFC), as people type them, so that equal words are equal texts. */
export function composed(value: string): string {
  return value.length > maxNormalized ? value : value.normalize('NFC');
}

/** A text as names and titles are compared: small letters, composed, single blanks; empty if there is none. */
export function caseless(value: string | null | undefined): string {
  return composed((value ?? '').trim().replace(/\s+/g, ' ')).toLowerCase();
}

/** Prepares a text from a client for a message: cuts it before any other processing. */
export function quotable(value: string, limit: number): string {
  return value.length <= limit ? oneLine(value, limit) : `${oneLine(cutAt(value, limit - 1), limit - 1)}…`;
}

/** Returns the first `length` characters without splitting a surrogate pair. */
export function cutAt(value: string, length: number): string {
  const cut = value.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

const bytesOf = (value: string) => Buffer.byteLength(JSON.stringify(value));

/** Cuts a text to at most `bytes` bytes in JSON, with an ellipsis if it was cut. */
export function cutToBytes(value: string, bytes: number): string {
  let cut = cutAt(value, bytes);
  if (cut === value && bytesOf(value) <= bytes) return value;
  while (cut !== '' && bytesOf(`${cut}…`) > bytes) cut = cutAt(cut, Math.floor(cut.length * 0.9));
  return `${cut}…`;
}
