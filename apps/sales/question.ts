import type { Json } from '../../src/shared/json.ts';
import { text } from '../shared/values.ts';

/** Values and names of `group_by`. */
export const groupings = [
  ['product', 'Product'],
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
  ['country', 'Country'],
] as const;

const periods = [
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['this_week', 'This week'],
  ['last_week', 'Last week'],
  ['last_7_days', 'Last 7 days'],
  ['last_30_days', 'Last 30 days'],
  ['this_month', 'This month'],
  ['last_month', 'Last month'],
  ['this_year', 'This year'],
  ['last_year', 'Last year'],
  ['all_time', 'All time'],
] as const;

/** A period of chosen dates, which no choice can ask for. */
export const custom = 'custom';

/** The chosen period. */
export function periodOf({ period, created_after, created_before }: Json): string {
  return created_after !== undefined || created_before !== undefined ? custom : (text(period) ?? 'all_time');
}

/** Values and names of the periods to choose from. */
export const periodChoices = (chosen: string) =>
  chosen === custom ? [[custom, 'Chosen dates'] as const, ...periods] : periods;

/** The arguments with another period or grouping. Drops what depends on the old one. */
export function changed(args: Json, change: { period?: string; group_by?: string }): Json {
  const { cursor: _cursor, ...same } = args;
  const { created_after: _after, created_before: _before, ...unbounded } = same;
  const next: Json = { ...(change.period === undefined ? same : unbounded), ...change };
  if ((next.group_by ?? 'product') !== 'product') delete next.include_unsold;
  return next;
}
