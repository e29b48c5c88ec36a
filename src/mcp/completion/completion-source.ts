import { oneLine } from '../../shared/clean-text.ts';
import type { CachedLists } from './cached-lists.ts';

/** The typed text, and the lists that the caller may see. */
export interface CompletionInput {
  readonly typed: string;
  /** Arguments that are already filled in. */
  readonly filledIn: Readonly<Record<string, string>>;
  readonly lists: CachedLists;
  /** Whether the caller has a tool: a completion shows only what the caller's tools show. */
  readonly has: (tool: string) => boolean;
}

/** Finds values that match the typed text. */
export type CompletionSource = (typing: CompletionInput) => Promise<Found>;

/** The source of each argument's completions; other arguments have none. */
export type Completes = Readonly<Record<string, CompletionSource>>;

export interface Found {
  readonly values: readonly string[];
  /** Whether there may be more values. */
  readonly more: boolean;
}

type Row = Record<string, unknown>;

function fieldText(row: Row, field: string): string {
  const value = row[field];
  return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value), 200) : '';
}

export function holds(typed: string, text: string): boolean {
  return text.toLowerCase().includes(typed.toLowerCase());
}

/** The values of a field, from rows whose fields `by` contain the typed text. */
export function pick(rows: readonly object[], typed: string, field: string, by: readonly string[]): string[] {
  const fitting = rows
    .map((row): Row => ({ ...row }))
    .filter((row) => by.some((name) => holds(typed, fieldText(row, name))));
  return [...new Set(fitting.map((row) => fieldText(row, field)))].filter((value) => value !== '');
}
