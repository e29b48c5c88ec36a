/** Limits of a JSON text. A few bytes of text can take hundreds of bytes of memory, so a limit of bytes is not enough. */
export interface JsonLimits {
  /** All values, counted as commas and opening brackets. */
  readonly values: number;
  /** Objects and lists right within the top-level list, or within what a top-level object has under its keys. */
  readonly records: number;
  readonly depth: number;
}

const unlimited = Number.POSITIVE_INFINITY;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Index of the closing quote of the string that starts at `start`, or the length of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Returns the limit that a JSON text exceeds, in one pass without parsing. Invalid JSON may pass; parsing refuses it. */
export function exceededBy(text: string, limits: Partial<JsonLimits>): keyof JsonLimits | undefined {
  const { values: maxValues = unlimited, records: maxRecords = unlimited, depth: maxDepth = unlimited } = limits;
  let depth = 0;
  let values = 0;
  let records = 0;
  let depthOfRecords = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma) values += 1;
    else if (code === closeList || code === closeObject) depth -= 1;
    else if (code === openList || code === openObject) {
      depth += 1;
      values += 1;
      if (depth === 1) depthOfRecords = code === openList ? 2 : 3;
      if (depth === depthOfRecords) records += 1;
    }
    if (records > maxRecords) return 'records';
    if (depth > maxDepth) return 'depth';
    if (values > maxValues) return 'values';
  }
  return undefined;
}
