/**
 * Characters that a reader cannot see but a model can: controls, format characters, what Unicode calls
 * default-ignorable (zero-width, bidi, tag and filler characters, variation selectors, soft hyphens), and what is no
 * character at all. A few format characters are seen, such as Arabic number signs.
 */
const invisible =
  /(?![\n\t\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/** Whether one character is such a one. */
export const invisibleCharacters = new RegExp(invisible.source, 'u');

/** A lone surrogate is no character and breaks UTF-8 on the way out. */
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Most text by far: nothing in it to clean. */
const plainText = /^[\t\n\x20-\x7e]*$/;

/** Text without invisible, bidi, tag and control characters; line breaks become `\n`. */
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
