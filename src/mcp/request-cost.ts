import type { Effect } from '../contract/operation.ts';

/** A number of requests: `1`, or from the least to the most. From 0 on it reads "up to". */
type Count = number | readonly [least: number, most: number];

/**
 * What a call of a tool takes from the account's request limit: its first requests, then those beyond them. Each number is for
 * the words of its key ("per page", "with group_id"), or `once`.
 */
export type Cost = Readonly<Record<string, Count>>;

function partText(words: string, count: Count, noun = ''): string {
  const [least, most] = typeof count === 'number' ? [count, count] : count;
  const number = least === 0 && most > 0 ? `up to ${most}` : least === most ? least : `${least} to ${most}`;
  return `${number}${noun}${words === 'once' ? '' : ` ${words}`}`;
}

/** "3+ requests". Without the words for when it is more: a client that searches the list would find every tool by "page" or "product". */
function costText(cost: Cost): string {
  const [[words, count] = ['once', 0], ...more] = Object.entries(cost);
  const noun = count === 1 && more.length === 0 ? 'request' : 'requests';
  return partText(words, count, `${more.length === 0 ? '' : '+'} ${noun}`);
}

/** The cost for the cell of a table: "3 + 1 per product + 2 in doubt". */
export const costFigures = (cost: Cost) =>
  Object.entries(cost)
    .map(([words, count]) => partText(words, count))
    .join(' + ');

/** A description as a model reads it: it ends with the cost, unless the tool reads with one request. */
export function withCost(tool: { description: string; effect: Effect; cost: Cost }): string {
  // The cost that the instructions state for every tool that names none.
  if (tool.effect === 'read' && costFigures(tool.cost) === '1') return tool.description;
  return `${tool.description} ${costText(tool.cost)}.`;
}
