import { timeOf } from '../src/insights/api-time.ts';

interface Bounds {
  created_after?: string | undefined;
  created_before?: string | undefined;
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
