import type { Json } from '../../shared/json.ts';
import { timeOf } from '../api-time.ts';
import { buyerKey } from '../sales/sold-order.ts';

/** Filters of what students wrote. Times: ISO 8601, without an offset UTC. */
export interface TextFilters {
  readonly email?: string | undefined;
  readonly course_id?: number | undefined;
  readonly project_id?: number | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const at = (record: Json) => timeOf(textOf(record.created_at));

/** Whether a record passes each filter; undefined if it lacks the value. */
function results(record: Json, filters: TextFilters): [field: string, passes: boolean | undefined][] {
  const { email, course_id, project_id, created_after, created_before } = filters;
  const [from, to, time] = [timeOf(created_after), timeOf(created_before), at(record)];
  const own = textOf(record.email);
  const same = (value: unknown, id: number) =>
    value === undefined || value === null ? undefined : Number(value) === id;
  return [
    ...(email === undefined ? [] : [['email', own && buyerKey(own) === buyerKey(email)] as const]),
    ...(course_id === undefined ? [] : [['course_id', same(record.course_id, course_id)] as const]),
    ...(project_id === undefined ? [] : [['project_id', same(record.project_id, project_id)] as const]),
    ...(from === undefined ? [] : [['created_at', time === undefined ? undefined : time >= from] as const]),
    ...(to === undefined ? [] : [['created_at', time === undefined ? undefined : time < to] as const]),
  ].map(([field, passes]) => [field, passes === '' ? undefined : passes]);
}

/** The records that pass every filter, newest first; records without a time come last, in the order of the API. */
export function arrangeTexts(
  all: readonly object[],
  filters: TextFilters,
): { items: object[]; lacking: string | undefined } {
  const lacking = new Map<string, number>();
  const items = all.filter((record) => {
    const each = results(record as Json, filters);
    const unknown = each.find(([, passes]) => passes === undefined)?.[0];
    const isOut = each.some(([, passes]) => passes === false);
    if (unknown !== undefined && !isOut) lacking.set(unknown, (lacking.get(unknown) ?? 0) + 1);
    return unknown === undefined && !isOut;
  });
  const counts = [...lacking].map(([field, count]) => `${count} without ${field} left out`);
  const least = Number.NEGATIVE_INFINITY;
  const time = (record: object) => at(record as Json) ?? least;
  const sorted = items.sort((one, other) => (time(one) === time(other) ? 0 : time(other) - time(one)));
  return { items: sorted, lacking: counts.length === 0 ? undefined : counts.join(', ') };
}
