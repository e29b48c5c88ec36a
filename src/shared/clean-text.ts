import { invisible, loneSurrogate } from './invisible-characters.ts';

/** Most text by far: nothing in it to clean. */
const plainText = /^[\t\n\x20-\x7e]*$/;

/**
 * Text without invisible, bidi, tag and control characters, but with the joiners that emoji and some scripts need; line
 * breaks become `\n`.
 */
export function cleanText(value: string): string {
  if (plainText.test(value)) return value;
  return value
    .replace(loneSurrogate, '\uFFFD')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(invisible, '');
}

/** One line: white space folded to single blanks, cut to `limit` characters with an ellipsis. */
export function oneLine(value: string, limit: number): string {
  const line = cleanText(value).replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${cutAt(line, limit - 1)}…`;
}

/** Longer text keeps its spelling: the time of normalisation grows with the square of a run of combining marks. */
const maxNormal = 1_000;

/** Composed as people type it (NFC), so that one word has one spelling. */
export function composed(value: string): string {
  return value.length > maxNormal ? value : value.normalize('NFC');
}

/** What a client sent, for a sentence of ours: cut before anything else looks at it. */
export function quotable(value: string, limit: number): string {
  return value.length <= limit ? oneLine(value, limit) : `${oneLine(cutAt(value, limit - 1), limit - 1)}…`;
}

/** The first `length` characters, never half of a surrogate pair. */
export function cutAt(value: string, length: number): string {
  const cut = value.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** How many bytes a text takes in JSON. */
const bytesOf = (value: string) => Buffer.byteLength(JSON.stringify(value));

/** The beginning of a text, as much of it as takes so many bytes in JSON, with an ellipsis where it was cut. */
export function cutToBytes(value: string, bytes: number): string {
  let cut = cutAt(value, bytes);
  if (cut === value && bytesOf(value) <= bytes) return value;
  while (cut !== '' && bytesOf(`${cut}…`) > bytes) cut = cutAt(cut, Math.floor(cut.length * 0.9));
  return `${cut}…`;
}
