import { oneLine } from '../../shared/clean-text.ts';
import type { CachedLists } from './cached-lists.ts';

/** What has been typed, and what a caller may look at for it. */
export interface Typing {
  readonly typed: string;
  /** Arguments that have been filled in before. */
  readonly filledIn: Readonly<Record<string, string>>;
  readonly lists: CachedLists;
  /** A completion shows no more than the tools that its caller has. */
  readonly has: (tool: string) => boolean;
}

/** Finds what fits the typed text. */
export type CompletionSource = (typing: Typing) => Promise<Found>;

/** From what each argument is completed; arguments that are not named here are not. */
export type Completes = Readonly<Record<string, CompletionSource>>;

export interface Found {
  readonly values: readonly string[];
  /** Whether there may be others beyond these. */
  readonly more: boolean;
}

type Row = Record<string, unknown>;

function textOf(row: Row, field: string): string {
  const value = row[field];
  return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value), 200) : '';
}

export function holds(typed: string, text: string): boolean {
  return text.toLowerCase().includes(typed.toLowerCase());
}

/** A field of the rows in one of whose fields `by` the typed text stands. */
export function pick(rows: readonly object[], typed: string, field: string, by: readonly string[]): string[] {
  const fitting = rows
    .map((row): Row => ({ ...row }))
    .filter((row) => by.some((name) => holds(typed, textOf(row, name))));
  return [...new Set(fitting.map((row) => textOf(row, field)))].filter((value) => value !== '');
}
