import { counted, grouped } from '../shared/values.ts';
import { type Answer, calendarGroups, type Group } from './answer.ts';
import type { Bar } from './columns.ts';
import { nameOf } from './table.ts';

/** The bars count orders instead of revenue. */
export const byOrders = 'orders';

/** The height and the words of a bar. `measure`: a currency, or `byOrders`. */
function measured({ orders, revenue }: Group, measure: string): Pick<Bar, 'value' | 'text' | 'detail'> {
  const count = counted(orders, 'order');
  if (measure === byOrders) return { value: orders, text: count, detail: '' };
  const amount = revenue[measure] ?? '0';
  return { value: Number(amount), text: `${grouped(amount)} ${measure}`, detail: count };
}

/** A bar for each group. Time runs from left to right, however the question sorts the groups. */
export function barsOf({ groups, groupBy }: Answer, measure: string): Bar[] {
  const isCalendar = calendarGroups.includes(groupBy);
  const isOneYear = groupBy !== 'month' && new Set(groups.map(({ key }) => key.slice(0, 4))).size === 1;
  const inOrder = isCalendar ? groups.toSorted((one, other) => one.key.localeCompare(other.key)) : groups;
  return inOrder.map((group) => ({
    label: isCalendar ? group.key : nameOf(group, false),
    short: isOneYear ? group.key.slice(5) : group.key,
    isPartial: group.isPartial,
    ...measured(group, measure),
  }));
}
