import type { Assumption, Difference, PlatformData } from './assumption.ts';
import { assumptions } from './assumptions/index.ts';
import type { ReadResult } from './read-results.ts';

const marks: Record<ReadResult['state'], string> = { read: 'ok  ', empty: '-   ', skipped: '-   ', failed: 'NO  ' };

function resultText({ state, why }: ReadResult): string {
  if (state === 'read') return 'readable';
  if (state === 'empty') return 'nothing to check';
  return state === 'skipped' ? `nothing to check: ${why}` : `could not be read: ${why}`;
}

/** One line for each read, with the reason if it failed. */
export function resultLines(results: readonly ReadResult[]): string[] {
  return results.map((result) => `${marks[result.state]}${result.name}: ${resultText(result)}`);
}

/** Removes Markdown, which only the document needs. */
const plain = (text: string) => text.replaceAll('`', '');

function differenceLine({ impact }: Assumption, { found, isHandled }: Difference): string {
  return `      found: ${found}. ${isHandled ? 'It is read correctly' : `Impact: ${plain(impact)}`}.`;
}

function assumptionLines(assumption: Assumption, found: readonly Difference[]): string[] {
  const title = `${assumption.id}: ${plain(assumption.statement)}`;
  if (found.length === 0) return [`ok  ${title}`];
  return [`!   ${title}`, ...found.map((difference) => differenceLine(assumption, difference))];
}

interface AssumptionReport {
  readonly lines: readonly string[];
  readonly holding: number;
  readonly differing: number;
  readonly unchecked: readonly string[];
}

/** Checks every assumption and reports which hold, which do not (with their impact), and which could not be checked. */
export function reportAssumptions(data: PlatformData): AssumptionReport {
  const results = Object.values(assumptions)
    .flat()
    .map((assumption) => ({ assumption, found: assumption.check(data) }));
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

/** The last lines: the numbers of assumptions and of requests. */
export function summaryLines({ holding, differing, unchecked }: AssumptionReport, requests: number): string[] {
  const rest = unchecked.length === 0 ? [] : [`-   Nothing to check for: ${unchecked.join(', ')}`];
  return [
    ...rest,
    `${differing === 0 ? 'ok  ' : '!   '}${holding} assumptions hold, ${differing} do not, ${unchecked.length} have nothing to check (docs/api-assumptions.md)`,
    `ok  ${requests} requests sent, nothing changed`,
  ];
}
