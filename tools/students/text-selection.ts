import type * as z from 'zod';
import { dateOrTime, describedOnce, studentEmail } from '../../src/contract/schemas/input-fields.ts';
import { timeOf } from '../../src/insights/api-time.ts';
import { applyFilters, filterBy, isAtLeast, isBelow } from '../../src/insights/period.ts';
import { buyerKey } from '../../src/insights/sales/sold-order.ts';
import type { Json } from '../../src/shared/json.ts';

/** Filters of what students wrote. Times: ISO 8601, without an offset UTC. */
interface TextFilters extends z.output<z.ZodObject<typeof textFilters>> {
  readonly course_id?: number | undefined;
  readonly project_id?: number | undefined;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const at = (record: Json) => timeOf(textOf(record.created_at));

const isBuyer = (one: string, other: string) => buyerKey(one) === buyerKey(other);
const isId = (value: unknown, id: number) => Number(value) === id;

function filtersFor({ email, course_id, project_id, created_after, created_before }: TextFilters) {
  return [
    ...filterBy('email', email, (one: Json) => textOf(one.email) || undefined, isBuyer),
    ...filterBy('course_id', course_id, (one: Json) => one.course_id, isId),
    ...filterBy('project_id', project_id, (one: Json) => one.project_id, isId),
    ...filterBy('created_at', timeOf(created_after), at, isAtLeast),
    ...filterBy('created_at', timeOf(created_before), at, isBelow),
  ];
}

/** The records that pass every filter, newest first; records without a time come last, in the order of the API. */
export const arrange = (filters: TextFilters) => (all: readonly object[]) => {
  const { kept, lacking } = applyFilters(all as Json[], filtersFor(filters));
  const counts = Object.entries(lacking).map(([field, count]) => `${count} without ${field} left out`);
  const time = (record: Json) => at(record) ?? Number.NEGATIVE_INFINITY;
  const sorted = kept.sort((one, other) => (time(one) === time(other) ? 0 : time(other) - time(one)));
  return { items: sorted, lacking: counts.join(', ') || undefined };
};

/** The filters of lists of what students wrote. The lists themselves have none in the API. */
export const textFilters = {
  email: studentEmail.describe('Only of this student').optional(),
  created_after: describedOnce(dateOrTime('From this ISO 8601 date or time on; UTC')).optional(),
  created_before: describedOnce(dateOrTime('Before it')).optional(),
};
