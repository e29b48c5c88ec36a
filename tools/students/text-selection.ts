import type * as z from 'zod';
import { dateOrTime } from '../../src/contract/schemas/date-time.ts';
import { describedOnce } from '../../src/contract/schemas/listed-form.ts';
import { studentEmail } from '../../src/contract/schemas/shared-arguments.ts';
import { timeOf } from '../../src/insights/api-time.ts';
import { buyerKey } from '../../src/insights/sales/sold-order.ts';
import type { Json } from '../../src/shared/json.ts';

/** Filters of what students wrote. Times: ISO 8601, without an offset UTC. */
interface TextFilters extends z.output<z.ZodObject<typeof textFilters>> {
  readonly course_id?: number | undefined;
  readonly project_id?: number | undefined;
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
export const arrange = (filters: TextFilters) => (all: readonly object[]) => {
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
};

/** The filters of lists of what students wrote. The lists themselves have none in the API. */
export const textFilters = {
  email: studentEmail.describe('Only of this student').optional(),
  created_after: describedOnce(dateOrTime('From this ISO 8601 date or time on; UTC')).optional(),
  created_before: describedOnce(dateOrTime('Before it')).optional(),
};
