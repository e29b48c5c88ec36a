import type { Effect } from '../contract/operation.ts';

/** A number of requests: `1`, or from the least to the most. From 0 on it reads "up to". */
type Count = number | readonly [least: number, most: number];

/** Requests of a call, for each `per` ("page"), or only `when` ("with group_id"). */
interface CostPart {
  readonly requests: Count;
  readonly per?: string;
  readonly when?: string;
}

/** What a call of a tool takes from the account's request limit: its first requests, and those beyond them. */
export type Cost = readonly [CostPart, ...CostPart[]];

function partText({ requests, per, when }: CostPart, noun = ''): string {
  const [least, most] = typeof requests === 'number' ? [requests, requests] : requests;
  const count = least === 0 && most > 0 ? `up to ${most}` : least === most ? least : `${least} to ${most}`;
  const unit = per === undefined ? '' : ` per ${per}`;
  return `${count}${noun}${unit}${when === undefined ? '' : ` ${when}`}`;
}

/** "3+ requests". Without the words for when it is more: a client that searches the list would find every tool by "page" or "product". */
function costText([first, ...more]: Cost): string {
  const noun = first.requests === 1 && more.length === 0 ? 'request' : 'requests';
  return partText(first, `${more.length === 0 ? '' : '+'} ${noun}`);
}

/** The cost for the cell of a table: "3 + 1 per product + 2 in doubt". */
export const costFigures = (cost: Cost) => cost.map((part) => partText(part)).join(' + ');

/** A description as a model reads it: it ends with the cost, unless the tool reads with one request. */
export function withCost(tool: { description: string; effect: Effect; cost: Cost }): string {
  // The cost that the instructions state for every tool that names none.
  if (tool.effect === 'read' && costFigures(tool.cost) === '1') return tool.description;
  return `${tool.description} ${costText(tool.cost)}.`;
}
