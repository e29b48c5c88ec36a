import { timeOf } from './api-time.ts';

interface Bounds {
  created_after?: string | undefined;
  created_before?: string | undefined;
}

/** "name=Ana; min_points=50": the filters of a question, as `inline` formats values. */
export function filtersText(filters: object, inline: (value: unknown) => string): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}=${inline(value)}`).join('; ');
}

/** Why no record can be within these bounds; undefined if some can. */
export function emptyPeriodNote(
  { created_after: after, created_before: before }: Bounds,
  now: Date,
): string | undefined {
  const [from, to] = [timeOf(after), timeOf(before)];
  if (from === undefined) return undefined;
  if (from > now.getTime()) return `created_after ${after} is in the future`;
  return to !== undefined && to <= from ? 'created_before is not after created_after' : undefined;
}
