import { isDateOrTime } from '../../contract/schemas/date-time.ts';
import type { FieldFormat } from '../../contract/schemas/field-format.ts';
import { composed } from '../../shared/clean-text.ts';

/**
 * The result of a comparison. `altered`: the platform stores the value in another form, as it does with forbidden
 * markup, long texts and prices in cents.
 */
export type ValueComparison = 'same' | 'altered' | 'other';

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** A text as a reader sees it: entities, Unicode normal form and white space do not matter. */
function normalize(text: string): string {
  return composed(withoutEntities(text)).replace(/\s+/g, ' ').trim();
}

/** Elements that a platform removes with their content. */
const acceptedAll = /^(script|style|iframe|object|embed)\b/i;

/**
 * A text without its markup. Scans the text once: a regular expression would restart at each bracket that is never
 * closed.
 */
function withoutMarkup(text: string): string {
  const [first = '', ...rest] = text.split('<');
  const parts = [first];
  let inside: string | undefined;
  for (const piece of rest) {
    const end = piece.indexOf('>');
    const isClosing = inside !== undefined && piece.slice(1, inside.length + 1).toLowerCase() === inside;
    if (inside === undefined || (piece.startsWith('/') && isClosing)) {
      inside = acceptedAll.exec(piece)?.[1]?.toLowerCase();
      parts.push(end < 0 ? `<${piece}` : ` ${inside === undefined ? piece.slice(end + 1) : ''}`);
    }
  }
  return parts.join('');
}

/** The words of a text, without markup and without elements that a platform removes with their content. */
export function textContentOf(text: string): string {
  return normalize(withoutMarkup(text));
}

/** "49", 49 and "49.00" are one amount; undefined if the value is not a number. */
function amountIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

const flags = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [1, true],
  [false, false],
  ['false', false],
  ['0', false],
  [0, false],
  [null, false],
]);

const hasZone = /(Z|[+-]\d\d:?\d\d)$/i;
/** No zone is further from UTC. */
const widestZone = 14 * 3_600_000;

/** A time without a zone is read as UTC. It may also be in the account's own zone, which is not known. */
function compareTimes(given: string, shown: string): ValueComparison {
  const [one, other] = [given, shown].map((text) =>
    Date.parse(hasZone.test(text) || text.length <= 10 ? text : `${text}Z`),
  );
  const apart = Math.abs((one ?? 0) - (other ?? 0));
  if (apart < 1_000) return 'same';
  return !(hasZone.test(given) && hasZone.test(shown)) && apart <= widestZone ? 'altered' : 'other';
}

/** A text of at least this length may have been cut by the platform's database. */
const shortestCut = 200;

function isCutOf(shown: string, given: string): boolean {
  const start = shown.replace(/(…|\.\.\.)$/, '').trimEnd();
  return start.length < given.length && given.startsWith(start) && (start.length >= shortestCut || start !== shown);
}

function sameText(given: string, shown: string): ValueComparison {
  const [sent, now] = [normalize(given), normalize(shown)];
  if (sent === now) return 'same';
  const isMarkup = textContentOf(given) === textContentOf(shown);
  return isMarkup || (now.length >= 20 && isCutOf(now, sent)) ? 'altered' : 'other';
}

function sameAmount(given: number, shown: number): ValueComparison {
  if (given === shown) return 'same';
  return given !== 0 && Math.abs(shown - given * 100) < 1e-6 ? 'altered' : 'other';
}

/**
 * Compares a value that was sent with the value in an answer, in any form that the API may use. `meaning` is the
 * field's.
 */
export function compareValues(given: unknown, shown: unknown, meaning?: FieldFormat): ValueComparison {
  if (given === shown) return 'same';
  if (given === null || given === '') return shown === null || shown === '' ? 'same' : 'other';
  if (typeof given === 'boolean')
    return flags.get(typeof shown === 'string' ? shown.toLowerCase() : shown) === given ? 'same' : 'other';
  if (typeof given === 'number') return amountIn(shown) === given ? 'same' : 'other';
  if (typeof given !== 'string') return JSON.stringify(given) === JSON.stringify(shown) ? 'same' : 'other';
  const [sent, now] = [amountIn(given), amountIn(shown)];
  if (meaning === 'decimal' && sent !== undefined && now !== undefined) return sameAmount(sent, now);
  if (typeof shown !== 'string') return String(shown) === given ? 'same' : 'other';
  if (meaning === 'time' && isDateOrTime(given) && isDateOrTime(shown.replace(' ', 'T')))
    return compareTimes(given, shown.replace(' ', 'T'));
  return sameText(given, shown);
}
