/** What a reader could take for the end of a value or for our own text: separators, quotes, the start of a fence. */
const ambiguous = /[;|,="\\()]|[^\S ]|<-|->|: |:$|^[ <[…#`-]| $| {2}/;

/** Matches most values. No part of them is ambiguous. */
const plain = /^\w[\w.@+-]*(?: [\w.@+-]+)*$/;

/** White space other than a single space. It is escaped, since white space may be collapsed before it is read. */
const collapsible = /(?<= ) |[^\S ]/g;

const escaped = (blank: string) => `\\u${blank.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Quotes a text as a JSON string on one line. Nothing in it can end the quotation. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(collapsible, escaped);
}

/** A text in a line of an answer: quoted if a part of it could be read as another field, cell, row or sentence. */
export function asValue(text: string): string {
  if (plain.test(text)) return text;
  return text === '' || ambiguous.test(text) ? quoted(text) : text;
}

/** Joins words as a sentence does: "one, two and three". */
export function listText(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

/** The texts whose condition is met: `isLeft && 'some are left'`. */
export function compact(texts: readonly (string | false | undefined)[]): string[] {
  return texts.flatMap((text) => text || []);
}
