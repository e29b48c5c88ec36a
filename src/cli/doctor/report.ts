import type { Assumption, Difference, Seen } from './assumption.ts';
import { assumptions } from './assumptions/index.ts';
import type { Part } from './read-results.ts';

const marks: Record<Part['state'], string> = { read: 'ok  ', empty: '-   ', skipped: '-   ', failed: 'NO  ' };

function partWords({ state, why }: Part): string {
  if (state === 'read') return 'can be read';
  if (state === 'empty') return 'nothing to check';
  return state === 'skipped' ? `nothing to check: ${why}` : `could not be read: ${why}`;
}

/** One line for each part that was read, or why it was not. */
export function partLines(parts: readonly Part[]): string[] {
  return parts.map((part) => `${marks[part.state]}${part.name}: ${partWords(part)}`);
}

/** Markdown belongs into the document. */
const plain = (text: string) => text.replaceAll('`', '');

function differenceLine({ costs }: Assumption, { seen, isRead }: Difference): string {
  return `      seen: ${seen}. ${isRead ? 'It is read all the same' : `Cost: ${plain(costs)}`}.`;
}

function assumptionLines(assumption: Assumption, found: readonly Difference[]): string[] {
  const title = `${assumption.id}: ${plain(assumption.assumed)}`;
  if (found.length === 0) return [`ok  ${title}`];
  return [`!   ${title}`, ...found.map((difference) => differenceLine(assumption, difference))];
}

export interface AssumptionReport {
  readonly lines: readonly string[];
  readonly holding: number;
  readonly differing: number;
  readonly unchecked: readonly string[];
}

/** What holds on this platform, what does not and what that costs, and what there was nothing to check of. */
export function reportAssumptions(seen: Seen): AssumptionReport {
  const results = Object.values(assumptions)
    .flat()
    .map((assumption) => ({ assumption, found: assumption.check(seen) }));
  const checked = results.flatMap(({ assumption, found }) => (found === undefined ? [] : [{ assumption, found }]));
  const differing = checked.filter(({ found }) => found.length > 0).length;
  const unchecked = results.flatMap(({ assumption, found }) => (found === undefined ? [assumption.id] : []));
  return {
    lines: checked.flatMap(({ assumption, found }) => assumptionLines(assumption, found)),
    holding: checked.length - differing,
    differing,
    unchecked,
  };
}

/** The last lines: how many hold, and what was not seen. */
export function summaryLines({ holding, differing, unchecked }: AssumptionReport, requests: number): string[] {
  const rest = unchecked.length === 0 ? [] : [`-   Nothing to check for: ${unchecked.join(', ')}`];
  return [
    ...rest,
    `${differing === 0 ? 'ok  ' : '!   '}${holding} assumptions hold, ${differing} do not, ${unchecked.length} have nothing to check (docs/api-assumptions.md)`,
    `ok  ${requests} requests sent, nothing changed`,
  ];
}
