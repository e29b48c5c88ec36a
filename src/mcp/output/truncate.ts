import { cutAt } from '../../shared/clean-text.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { Cut, Presented } from '../tool.ts';
import { formatText } from './text-format.ts';

/** The longest text and the longest data of an answer, in characters. */
export const maxAnswer = 40_000;

export interface Truncated {
  text: string;
  data: Json;
}

function write({ summary, data, body, tables }: Presented): Truncated {
  return { text: formatText(summary, data, body, tables), data };
}

function fits({ text, data }: Truncated): boolean {
  return text.length <= maxAnswer && JSON.stringify(data).length <= maxAnswer;
}

/** The answer with at most `most` of its records, and a note about it in both forms. */
function firstRecords(presented: Presented, cut: Cut, most: number): Truncated {
  const { summary, data, shown, how } = cut.to(most);
  const said = `cut to ${shown} of ${cut.total ?? cut.records} records to stay readable; ${how}`;
  return write({ ...presented, summary, data: { cut: said, ...data } });
}

function cutList(presented: Presented): Truncated | undefined {
  const { cut } = presented;
  if (cut === undefined) return undefined;
  let low = 0;
  let high = cut.records;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(firstRecords(presented, cut, middle))) low = middle;
    else high = middle;
  }
  return low === 0 ? undefined : firstRecords(presented, cut, low);
}

/** Fields that are never shortened in any answer: half a cursor leads nowhere. */
const alwaysUncut = ['next_cursor'];

function shorten(value: unknown, longest: number, uncut: ReadonlySet<string>): unknown {
  if (typeof value === 'string' && value.length > longest) {
    return `${cutAt(value, longest)}… [${value.length - longest} more characters left out]`;
  }
  if (Array.isArray(value)) return value.map((entry) => shorten(entry, longest, uncut));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, uncut.has(key) ? entry : shorten(entry, longest, uncut)]),
  );
}

/** Cuts every text to the longest length at which the answer fits: for a single record that is too long. */
function cutTexts(presented: Presented): Truncated {
  const uncut = new Set([...alwaysUncut, ...(presented.uncut ?? [])]);
  for (let longest = maxAnswer / 2; longest > 50; longest /= 2) {
    const fitted = write({ ...presented, data: shorten(presented.data, longest, uncut) as Json });
    if (fits(fitted)) return fitted;
  }
  const cut = 'too long to show, even with every text cut; ask for less at a time';
  const sentBack = Object.entries(presented.data).filter(([key]) => uncut.has(key));
  const least = write({ summary: presented.summary, data: { cut, ...Object.fromEntries(sentBack) } });
  return fits(least) ? least : { text: `${presented.summary}\ncut: ${cut}`, data: { cut } };
}

/** Both forms of an answer, each within the limit: cuts records first, and texts only if that is not enough. */
export function truncate(presented: Presented): Truncated {
  const whole = write(presented);
  return fits(whole) ? whole : (cutList(presented) ?? cutTexts(presented));
}
