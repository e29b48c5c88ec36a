import { invisible, loneSurrogate } from './contract/invisible.ts';

/** Whether one character, alone, is such a one. */
export const invisibleCharacters = new RegExp(invisible.source, 'u');

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

/** The first `length` characters, never half of a surrogate pair. */
export function cutAt(value: string, length: number): string {
  const cut = value.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
