import type { Assumption, Difference, PlatformData } from './assumption.ts';
import { assumptions } from './assumptions/index.ts';
import type { ReadResult } from './read-results.ts';

const marks: Record<ReadResult['state'], string> = { read: 'ok  ', empty: '-   ', skipped: '-   ', failed: 'NO  ' };

function resultText({ state, why }: ReadResult): string {
  if (state === 'read') return 'can be read';
  if (state === 'empty') return 'nothing to check';
  return state === 'skipped' ? `nothing to check: ${why}` : `could not be read: ${why}`;
}

/** One line for each part that was read, or why it was not. */
export function resultLines(results: readonly ReadResult[]): string[] {
  return results.map((result) => `${marks[result.state]}${result.name}: ${resultText(result)}`);
}

/** Markdown belongs into the document. */
const plain = (text: string) => text.replaceAll('`', '');

function differenceLine({ impact }: Assumption, { seen, isHandled }: Difference): string {
  return `      seen: ${seen}. ${isHandled ? 'It is read all the same' : `Cost: ${plain(impact)}`}.`;
}

function assumptionLines(assumption: Assumption, found: readonly Difference[]): string[] {
  const title = `${assumption.id}: ${plain(assumption.statement)}`;
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
export function reportAssumptions(seen: PlatformData): AssumptionReport {
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
