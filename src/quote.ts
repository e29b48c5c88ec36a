/**
 * What a reader could take for the end of a value or for something of ours: separators, quotes, brackets, arrows, line
 * breaks, blanks at the ends, the look of `key: value`, and the first character of a fence or of a mark.
 */
const ambiguous = /[;|,="\\()\n\r\t]|<-|->|: |:$|^[\s<[…-]|\s$|\s\s/;

/** A text between JSON string quotes: nothing in it can end the quotation or the line. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/**
 * A text as it stands within a line that we write: bare where nothing in it could be read as another field, cell, row or
 * sentence, between JSON string quotes everywhere else. The one rule of quoting of all text forms.
 */
export function asValue(text: string): string {
  return text === '' || ambiguous.test(text) ? quoted(text) : text;
}
