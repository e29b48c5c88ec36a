/**
 * What a reader could take for the end of a value or for something of ours: separators, quotes, brackets, arrows, line
 * breaks, blanks at the ends or side by side, the look of `key: value`, and the first character of a fence or a mark.
 */
const ambiguous = /[;|,="\\()]|[^\S ]|<-|->|: |:$|^[ <[…#`-]| $| {2}/;

/** Any blank but a single one, as JSON writes it: on its way to a reader white space is folded. */
const foldable = /(?<= ) |[^\S ]/g;

const escaped = (blank: string) => `\\u${blank.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text between JSON string quotes, on one line: nothing in it can end the quotation. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(foldable, escaped);
}

/**
 * A text as it stands within a line that we write: bare where nothing in it could be read as another field, cell, row or
 * sentence, between JSON string quotes everywhere else. The one rule of quoting of all text forms.
 */
export function asValue(text: string): string {
  return text === '' || ambiguous.test(text) ? quoted(text) : text;
}
