import * as z from 'zod';
import type { OrderRecord, StudentOrders } from '../../src/api/student-orders.ts';
import { studentDetails } from '../../src/contract/students.ts';
import { revenueOf, revenueText } from '../../src/insights/money.ts';
import { asOf } from '../../src/insights/period.ts';
import { type SoldOrder, soldOrder } from '../../src/insights/sales/sold-order.ts';
import { coursesInDetails } from '../../src/insights/students/courses-in-details.ts';
import { groupOrders, type Holding, mayHaveEnded } from '../../src/insights/students/holdings.ts';
import {
  countUnreadable,
  hasUnreadable,
  mergeUnreadable,
  type Unreadable,
  unreadableText,
} from '../../src/insights/unreadable.ts';
import { anyRecord, listOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { wholeTable } from '../../src/mcp/output/table-shape.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Json } from '../../src/shared/json.ts';
import { asValue } from '../../src/shared/quote-text.ts';
import { coverageOutput, incompleteBecause } from '../../src/workflows/sales/resumable-scan.ts';
import { type Completions, completionKey, type Refusals } from '../../src/workflows/students/completion-batch.ts';
import { withCutLists } from '../cut-answer.ts';
import { definedFields } from '../defined-fields.ts';
import { presentOrder } from '../orders/order-row.ts';
import { nameLine, noteOf } from './sales-output.ts';

const holdingRow = z.looseObject({
  product: z.string().describe('Such as "course 7"'),
  title: z.string().optional(),
  how: z.enum(['bought', 'granted', 'enrolled']).describe('enrolled: held, but no order lists it'),
  via: z.string().optional().describe('Bundle that included it'),
  since: z.string().optional(),
  orders: z.string().optional().describe('Ids of the orders that list it'),
  course_completion_percent: z.number().optional(),
});

const list = z.array(anyRecord).optional();

export const profileOutput = listOutput('holds', holdingRow, {
  student: anyRecord,
  totals: anyRecord,
  bought: list,
  granted: list,
  unpaid: list,
  coverage: coverageOutput,
  note: z.string(),
});

interface Profile extends StudentOrders {
  email: string;
  holdings: readonly Holding[];
  completions: Completions;
  refusals: Refusals;
  stopped: string | undefined;
}

function holdingOf({ email, completions }: Profile, { ref, id, title, how, via, since, orders }: Holding): Json {
  const percent = ref.startsWith('course ') ? completions.get(completionKey({ course_id: id, email })) : undefined;
  return definedFields({
    product: ref,
    title: nameLine(title),
    how,
    via: nameLine(via),
    since,
    orders: orders.join(' ') || undefined,
    course_completion_percent: percent,
  });
}

/** An order without its buyer, who is the student. */
function orderRow(order: OrderRecord): Json {
  const { email: _email, name: _name, granted: _granted, ...row } = presentOrder(order, 'summary');
  return row;
}

/** The courses whose progress could not be read: "course 7 (forbidden: …), course 8". */
function coursesWithoutPercent({ email, holdings, completions, refusals }: Profile): string[] {
  return holdings.flatMap(({ kind, id, ref }) => {
    const key = completionKey({ course_id: id, email });
    if (kind !== 'course' || !completions.has(key) || completions.get(key) !== undefined) return [];
    const why = refusals.get(key);
    return [why === undefined ? ref : `${ref} (${oneLine(why, 160)})`];
  });
}

/** Counts of unreadable values, for the first line and the coverage. */
function unreadableIn(profile: Profile): Unreadable {
  const percentages = coursesWithoutPercent(profile).length;
  const { nameless } = profile;
  return mergeUnreadable(countUnreadable(profile.orders.flatMap((order) => soldOrder(order).unreadable)), {
    ...(percentages === 0 ? {} : { percentages }),
    ...(nameless === 0 ? {} : { emails: nameless }),
  });
}

/** The parts that the API refused, or returned in an unreadable form. */
function refusedIn({ detailsProblem, student }: Profile): string[] {
  const shown = coursesInDetails(student);
  const isUnclear = shown !== undefined && !shown.isWhole;
  return [
    ...(detailsProblem === undefined
      ? []
      : [`the details of the student could not be read (${oneLine(detailsProblem, 200)})`]),
    ...(isUnclear ? ['some courses in the details of the student could not be read'] : []),
  ];
}

/** Each unknown status, such as "completed", with its number of orders. */
function otherStatuses(orders: readonly SoldOrder[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { status = 'none' } of orders) counts.set(status, (counts.get(status) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function coverageOf(profile: Profile, { spent, now }: Pick<ToolContext, 'spent' | 'now'>): Json {
  const { holdings, completions, isCut, problem, spellings, stopped } = profile;
  const unread = holdings.filter(({ kind }) => kind === 'course').length - completions.size;
  const isMissing = isCut || problem !== undefined;
  const unreadable = unreadableIn(profile);
  const refused = refusedIn(profile);
  const complete = unread === 0 && !isMissing && !hasUnreadable(unreadable) && refused.length === 0;
  return definedFields({
    complete,
    orders_missing: isMissing ? 'some, so held products may be missing too' : undefined,
    courses_without_progress: unread > 0 ? unread : undefined,
    unreadable: hasUnreadable(unreadable) ? unreadable : undefined,
    discarded: profile.discarded > 0 ? profile.discarded : undefined,
    ignored_filters: profile.discarded > 0 ? ['user_email'] : undefined,
    not_read: refused.join('; ') || undefined,
    without_percent: coursesWithoutPercent(profile).join(', ') || undefined,
    // The API compares emails with regard to case, so an order with other capitals is not found.
    unpaid_looked_for_under: spellings.join(', '),
    requests_spent: spent(),
    as_of: asOf(now()),
    stopped: stopped ?? problem,
    // More requests would not return what the API does not provide.
    next: complete || (unread === 0 && !isCut) ? undefined : 'raise max_requests',
  });
}

/** The counts that the first line shows only if they are not 0. */
function rareCountsText({ refunds, unclear, other }: OrderGroups): string {
  const statuses = Object.keys(otherStatuses(other)).map(asValue).join(', ');
  const parts = [
    ...(refunds.length > 0 ? [`${refunds.length} with an amount below 0 (refunds)`] : []),
    ...(unclear.length > 0 ? [`${unclear.length} with an unreadable amount`] : []),
    ...(other.length > 0 ? [`${other.length} of an unknown status (${statuses})`] : []),
  ];
  return parts.map((part) => `, ${part}`).join('');
}

type OrderGroups = ReturnType<typeof groupOrders>;

function summaryOf(profile: Profile, { bought, granted, unpaid, ...rest }: OrderGroups): string {
  const { student, email, holdings } = profile;
  const held = `${asValue(nameLine(student.name) ?? email)}: ${counted(holdings.length, 'product')} held`;
  const orders = `${counted(bought.length, 'order')} bought (${revenueText(revenueOf(bought))})`;
  return `${held}, ${orders}, ${granted.length} of amount 0 (granted, free or a coupon), ${unpaid.length} unpaid${rareCountsText({ bought, granted, unpaid, ...rest })}.`;
}

/** The facts that stay when the lists of orders are cut. */
function factsOf(profile: Profile, { bought, granted, unpaid, refunds, unclear, other }: OrderGroups): Json {
  const { student, holdings } = profile;
  const { paid_orders: _paid, enrolled_courses: _enrolled, ...facts } = student;
  const counts = {
    bought: bought.length,
    granted: granted.length,
    unpaid: unpaid.length,
    ...(refunds.length > 0 ? { refunds: refunds.length } : {}),
    ...(unclear.length > 0 ? { unclear: unclear.length } : {}),
    ...(other.length > 0 ? { other: otherStatuses(other) } : {}),
  };
  return {
    student: sanitizeRecord(studentDetails, facts),
    totals: { ...counts, revenue: revenueOf(bought) },
    ...(holdings.length > 0 ? { holds: holdings.map((holding) => holdingOf(profile, holding)) } : {}),
  };
}

/** The profile, with its orders in groups. A long answer omits the oldest orders: held products matter most. */
export function presentProfile(profile: Profile, context: Pick<ToolContext, 'spent' | 'now'>): Presented {
  const rows = new Map(profile.orders.map((order) => [soldOrder(order).id, orderRow(order)]));
  const parts = groupOrders(profile.orders.map(soldOrder));
  const coverage = coverageOf(profile, context);
  const reasons = [profile.problem, ...refusedIn(profile), unreadableText(unreadableIn(profile))]
    .filter(Boolean)
    .join('; ');
  const start = reasons === '' ? 'Incomplete' : incompleteBecause(reasons);
  const summary = `${coverage.complete ? '' : `${start}: `}${summaryOf(profile, parts)}`;
  const facts = factsOf(profile, parts);
  const note = noteOf(
    'roles' in profile.student ? undefined : 'the API does not return the roles of a student',
    profile.holdings.length > 0 ? mayHaveEnded : undefined,
  );

  function answer(most: number) {
    const shown = Object.entries(parts).map(([name, list]) => [name, list.slice(0, most)] as const);
    const lists = shown.flatMap(([name, list]) =>
      list.length > 0 ? [[name, list.map(({ id }) => rows.get(id))]] : [],
    );
    return {
      summary,
      data: { ...facts, ...Object.fromEntries(lists), coverage, ...(note === undefined ? {} : { note }) },
    };
  }

  const lengths = Object.values(parts).map((list) => list.length);
  const shape = (list: readonly SoldOrder[]) =>
    wholeTable(
      list.map((order) => rows.get(order.id) ?? {}),
      [],
    );
  const tables = Object.fromEntries(Object.entries(parts).map(([name, list]) => [name, shape(list)]));
  return { ...withCutLists(answer, lengths, 'read the older orders with list_orders and user_email'), tables };
}
