import type { OldValues } from '../../contract/lookups.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { invisible } from '../../shared/invisible-characters.ts';
import { isObject, type Json } from '../../shared/json.ts';
import { counted } from '../output/text-format.ts';
import { quotedName } from '../titles.ts';
import type { Titles, Tool } from '../tool.ts';

/** The facts that are read about a call before it is made. */
export interface CallFacts {
  readonly titles: Titles;
  readonly old?: OldValues | undefined;
  /** Current facts, a line each. */
  readonly facts: readonly string[];
}

/** Invisible characters, lone surrogates, and blanks that look like another character or like none. */
let hidden: RegExp | undefined;

function escaped(character: string): string {
  const json = JSON.stringify(character).slice(1, -1);
  if (json !== character) return json;
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** A value as a person reads it: each piece is one of its characters, or the escape of one. */
function spell(value: string) {
  // Searched in the whole text: a joiner within an emoji is visible, and alone it is not.
  hidden ??= new RegExp(`${invisible().source}|\\p{Cs}|[^\\S ]|\\u2800`, 'gu');
  const hiddenAt = new Set([...value.matchAll(hidden)].map(({ index }) => index));
  let at = 0;
  const pieces = Array.from(value, (character) => {
    const isPlain = !hiddenAt.has(at) && character !== '"' && character !== '\\';
    at += character.length;
    return isPlain ? character : escaped(character);
  });
  // A line break or a tab shows as its escape, and hides nothing.
  const unseen = [...hiddenAt].filter((index) => !/[\n\r\t]/.test(value.charAt(index))).length;
  return { pieces, invisible: unseen };
}

/** The first whole pieces that fit into `room` characters. */
export function fitting(pieces: readonly string[], room: number): string[] {
  let left = room;
  const end = pieces.findIndex((piece) => {
    left -= piece.length;
    return left < 0;
  });
  return end < 0 ? [...pieces] : pieces.slice(0, end);
}

/** A text in quotes; if it exceeds `room` characters, its head, its tail and its length. */
export function textShown(value: string, room = Number.POSITIVE_INFINITY): string {
  const { pieces, invisible } = spell(value);
  const mark = invisible === 0 ? '' : ` (with ${counted(invisible, 'invisible character')})`;
  const whole = pieces.join('');
  if (whole.length <= room) return `"${whole}"${mark}`;
  const head = fitting(pieces, Math.floor((room * 3) / 4));
  const tail = fitting([...pieces].reverse(), Math.floor(room / 4)).reverse();
  const hidden = pieces.length - head.length - tail.length;
  const length = `(${pieces.length} characters in total; ${hidden} in the middle are not shown)`;
  return `"${head.join('')}" ... "${tail.join('')}" ${length}${mark}`;
}

export function valueShown(value: unknown, room?: number): string {
  if (typeof value === 'string') return textShown(value, room);
  if (!isObject(value) && !Array.isArray(value)) return String(value);
  return spell(JSON.stringify(value)).pieces.join('');
}

/** Characters for an old value: the person agrees to the new value, so the old one may be cut. */
const oldRoom = 600;

/** `"old" -> "new"`; a text that exceeds `room` characters is shown by its head and its tail. */
export function changeShown(name: string, value: unknown, { values, cut = [] }: OldValues, room?: number): string {
  const now = valueShown(value, room);
  if (!Object.hasOwn(values, name)) return `${now} (the old value cannot be read)`;
  const old = valueShown(values[name], oldRoom);
  const part = cut.includes(name) ? ' (the API shows only the beginning of the old value)' : '';
  const isSame = values[name] === value && part === '';
  return isSame ? `${now} (unchanged)` : `${old} -> ${now}${part}`;
}

function lineOf([name, value]: [string, unknown], tool: Tool, { titles, old }: CallFacts, room?: number): string {
  const isChange = old !== undefined && tool.recordKeys?.includes(name) !== true;
  const title = titles[name] === undefined ? '' : ` ${quotedName(titles[name])}`;
  return `  ${name}: ${isChange ? changeShown(name, value, old, room) : valueShown(value, room)}${title}`;
}

/** Only a longer text may be shown in part, in characters: titles, prices and the like are always whole. */
const longText = 2_000;

/**
 * One line for each argument, short ones first, so that no long text hides a price or a flag. Each is shown whole; if
 * that takes more than `room` characters, only the longest text is shown in part, with its length. Undefined if even that
 * does not fit.
 */
function argumentLines(tool: Tool, input: Json, known: CallFacts, room: number): string[] | undefined {
  const present = Object.entries(input).filter(([, value]) => value !== undefined);
  const lines = new Map(present.map((entry) => [entry[0], lineOf(entry, tool, known)]));
  const lengthOfLine = (name: string) => lines.get(name)?.length ?? 0;
  const size = lengthOf([...lines.values()]);
  if (size > room) {
    const texts = present.filter(([name, value]) => typeof value === 'string' && lengthOfLine(name) > longText);
    const [longest] = texts.sort(([one], [other]) => lengthOfLine(other) - lengthOfLine(one));
    if (longest === undefined) return undefined;
    const left = room - size + lengthOfLine(longest[0]) - oldRoom - longText / 2;
    if (left < longText) return undefined;
    lines.set(longest[0], lineOf(longest, tool, known, left));
  }
  return [...lines.values()].sort((one, other) => one.length - other.length);
}

/** Characters of the text that a person reads; with the rest of the message it stays within 40,000. */
const longest = 39_000;

/** A fact as one line. Its indentation stays, since it shows the structure. */
export function factLine(fact: string): string {
  const [indent = ''] = /^ {0,12}/.exec(fact) ?? [];
  return `${indent}${oneLine(fact, Number.POSITIVE_INFINITY)}`;
}

/** What the call would do, in a sentence. */
export function confirmationMessageOf(tool: Tool, input: Json, titles: Titles = {}): string {
  return (
    tool.confirmationMessage?.(input, titles) ??
    `${tool.title} (${tool.name}). This conversation has read text that members wrote, so this call needs a person's consent.`
  );
}

function tooLong({ name }: Tool): AcademyError {
  return new AcademyError(
    'invalid_input',
    `this call of ${name} needs more than the 40,000 characters of one question to a person, and the question must show all of it. Nothing was sent`,
    { hint: 'Split the call: fewer records, or one long text per call.', outcome: 'not_applied' },
  );
}

const lengthOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);

/**
 * The question to a person: what the call does, all its arguments, and the current facts. Only the middle of one long text
 * may be cut; throws `invalid_input` if that is not enough. A tool with `consent` shows its arguments in its facts.
 */
export function consentLines(tool: Tool, input: Json, known: CallFacts): string[] {
  const head = factLine(confirmationMessageOf(tool, input, known.titles));
  const tail = known.facts.map(factLine);
  const heading = 'All arguments:';
  const room = longest - lengthOf([head, heading, ...tail]);
  const lines = tool.consent === true ? [] : argumentLines(tool, input, known, room);
  if (lines === undefined || lengthOf(lines) > room) throw tooLong(tool);
  // As an answer, the plan is JSON too.
  if (tool.showsPlan === true && JSON.stringify([head, ...tail]).length > longest) throw tooLong(tool);
  return [head, ...(lines.length > 0 ? [heading, ...lines] : []), ...tail];
}
