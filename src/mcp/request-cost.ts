import type { Effect } from '../contract/operation.ts';
import { listText } from '../shared/quote-text.ts';

/** A number of requests: `1`, or from the least to the most. From 0 on it reads "up to". */
type Count = number | readonly [least: number, most: number];

/** Requests of a call, for each `per` ("page"), or only `when` ("with group_id"). */
interface CostPart {
  readonly requests: Count;
  readonly per?: string;
  readonly when?: string;
}

/** What a call of a tool takes from the account's request limit. */
export interface Cost extends CostPart {
  /** Requests beyond the first ones. */
  readonly plus?: readonly CostPart[];
}

const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const inWords = (number: number) => numbers[number] ?? String(number);

function countText(count: Count, write: (number: number) => string): string {
  if (typeof count === 'number') return write(count);
  const [least, most] = count;
  if (least === 0) return `up to ${write(most)}`;
  return `${write(least)} ${most === least + 1 ? 'or' : 'to'} ${write(most)}`;
}

function partText({ requests, per, when }: CostPart, write: (number: number) => string, noun = ''): string {
  const unit = per === undefined ? '' : ` per ${per}`;
  return `${countText(requests, write)}${noun}${unit}${when === undefined ? '' : ` ${when}`}`;
}

/** The cost in words: "three requests, plus one per product and two in doubt". */
function costWords({ plus = [], ...first }: Cost): string {
  const noun = first.requests === 1 ? ' request' : ' requests';
  const start = partText(first, inWords, noun);
  return plus.length === 0 ? start : `${start}, plus ${listText(plus.map((part) => partText(part, inWords)))}`;
}

/** The cost for the cell of a table: "3 + 1 per product + 2 in doubt". */
export function costFigures({ plus = [], ...first }: Cost): string {
  return [first, ...plus].map((part) => partText(part, String)).join(' + ');
}

/** A description as a model reads it: it ends with the cost, unless the tool reads with one request. */
export function withCost(tool: { description: string; effect: Effect; cost: Cost }): string {
  // The cost that the instructions state for every tool that names none.
  if (tool.effect === 'read' && costFigures(tool.cost) === '1') return tool.description;
  const cost = costWords(tool.cost);
  return `${tool.description} ${cost.charAt(0).toUpperCase()}${cost.slice(1)}.`;
}
