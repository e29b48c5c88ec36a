import * as z from 'zod';
import { studentEmail } from '../../src/contract/schemas/input-fields.ts';
import { studentDetails } from '../../src/contract/students.ts';
import { rowTimes } from '../../src/insights/api-time.ts';
import { sourceFacts } from '../../src/insights/freshness.ts';
import { revenueOf, revenueText } from '../../src/insights/money.ts';
import { groupOrders, type SoldOrder } from '../../src/insights/sales/sold-order.ts';
import { endedText, uncheckedEnd } from '../../src/insights/students/holdings.ts';
import { countUnreadable, hasUnreadable, mergeUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { anyRecord, listOutput, lists, numbers, showing, texts } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { counted, wholeTable } from '../../src/mcp/output/text-format.ts';
import { productNamed } from '../../src/mcp/titles.ts';
import { defineTool, type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { countEach } from '../../src/shared/group-by.ts';
import type { Json } from '../../src/shared/json.ts';
import { asValue, compact } from '../../src/shared/quote-text.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { coverageOutput } from '../../src/workflows/sales/coverage.ts';
import { completionKey } from '../../src/workflows/students/completion-reader.ts';
import { type ProfileReading as Profile, readProfile } from '../../src/workflows/students/read-profile.ts';
import { incompleteBecause } from './coverage-text.ts';
import { nameLine, noteOf, positive } from './sales-output.ts';
import * as common from './shared-arguments.ts';

const holdingRow = z.looseObject({
  product: z.string(),
  ...texts('title', 'since'),
  /** `enrolled`: held, but no order lists it. */
  how: z.enum(['bought', 'granted', 'enrolled']),
  ...texts('via'),
  ...numbers('orders'),
  course_completion_percent: z.number().optional(),
  ...texts('access_ended', 'against'),
});

const profileOutput = listOutput('holds', holdingRow, {
  student: showing(anyRecord, studentDetails),
  totals: anyRecord,
  ...lists('bought', 'granted', 'unpaid'),
  coverage: coverageOutput,
  note: z.string(),
});

/** Orders that each list of the answer shows: its newest. */
const maxOrders = 5;

type OrderGroups = ReturnType<typeof groupOrders>;

function rowsOf(profile: Profile, groups: OrderGroups, timezone: string) {
  const { email, holdings, completions, ended, against } = profile;
  const rowTime = rowTimes(timezone);
  const holds = holdings.map(({ kind, ref, id, title, how, via, since, orders }): Json => {
    const percent = kind === 'course' ? completions.get(completionKey({ course_id: id, email })) : undefined;
    return {
      product: ref,
      title: nameLine(title),
      since: rowTime(since),
      how,
      via: nameLine(via),
      orders: positive(orders.length),
      course_completion_percent: typeof percent === 'number' ? percent : undefined,
      access_ended: ended.get(ref),
      against: against.get(ref)?.join(', ') || undefined,
    };
  });
  const titled = new Set(holdings.map(({ ref }) => ref));
  // Without the buyer, who is the student. The table of held products has the titles of its products.
  const orderRow = ({ id, created_at, amount, currency, status, products, unread }: SoldOrder): Json => {
    const listed = products.map((one) => (titled.has(one.ref) ? one.ref : productNamed(one)));
    return {
      id,
      date: rowTime(created_at),
      amount: nameLine(amount),
      currency,
      status,
      products: [...listed, ...unread.map((kind) => `unreadable: ${kind}`)].join(', ') || undefined,
    };
  };
  const orders = Object.entries(groups).map(([name, list]) => [name, list.map(orderRow)] as const);
  return [['holds', holds] as const, ...orders].filter(([, rows]) => rows.length > 0);
}

/** Each unknown status, such as "completed", with its number of orders. */
function otherStatuses(orders: readonly SoldOrder[]): Record<string, number> {
  return Object.fromEntries(countEach(orders.map(({ status = 'none' }) => status)));
}

function summaryOf(profile: Profile, { bought, granted, unpaid, refunds, unclear, other }: OrderGroups): string {
  const { student, email, holdings, ended, against } = profile;
  const all = against.get('') ?? [];
  const hindered = holdings.filter(({ ref }) => (against.get(ref)?.length ?? 0) + all.length > 0).length;
  const signs = hindered === 0 ? '' : ` (something speaks against access to ${hindered} of them)`;
  const parts = compact([
    `${asValue(nameLine(student.name) ?? email)}: ${counted(holdings.length, 'product')} held${endedText(holdings, ended)}${signs}`,
    `${counted(bought.length, 'order')} bought (${revenueText(revenueOf(bought))})`,
    `${granted.length} of amount 0 (granted, free or a coupon)`,
    `${unpaid.length} unpaid`,
    refunds.length > 0 && `${refunds.length} with an amount below 0 (refunds)`,
    unclear.length > 0 && `${unclear.length} with an unreadable amount`,
    other.length > 0 &&
      `${other.length} of an unknown status (${Object.keys(otherStatuses(other)).map(asValue).join(', ')})`,
  ]);
  return `${parts.join(', ')}.`;
}

/** The facts that stay when the lists are cut. */
function factsOf({ student }: Profile, { bought, granted, unpaid, refunds, unclear, other }: OrderGroups): Json {
  const { paid_orders: _paid, enrolled_courses: _enrolled, ...facts } = student;
  return {
    student: sanitizeRecord(studentDetails, facts),
    totals: {
      bought: bought.length,
      granted: granted.length,
      unpaid: unpaid.length,
      refunds: positive(refunds.length),
      unclear: positive(unclear.length),
      other: other.length > 0 ? otherStatuses(other) : undefined,
      revenue: revenueOf(bought),
    },
  };
}

function noteOn({ student, holdings, ended, against, namesakes }: Profile, groups: OrderGroups): string | undefined {
  const signs = holdings.length > 0 ? (against.get('') ?? []) : [];
  const older = Object.values(groups).some(({ length }) => length > maxOrders);
  return noteOf(
    namesakes,
    older && `orders: the newest ${maxOrders} of each list; list_orders with user_email and status all has every order`,
    !('roles' in student) && 'the API does not return the roles of a student',
    uncheckedEnd(holdings, ended),
    signs.length > 0 && `against access to all of it: ${signs.join(', ')}`,
  );
}

function presentProfile(profile: Profile, context: Pick<ToolContext, 'spent' | 'readAt' | 'timezone'>): Presented {
  const groups = groupOrders(profile.orders);
  const { coverage, why } = coverageOf(profile, context);
  const start = coverage.complete ? '' : `${incompleteBecause(why)}: `;
  const all = rowsOf(profile, groups, context.timezone);
  const mostOf = (name: string) => (name === 'holds' ? Number.POSITIVE_INFINITY : maxOrders);
  const lists = all.map(([name, rows]) => [name, rows.slice(0, mostOf(name))] as const);
  const answer = (most: number) => ({
    summary: `${start}${summaryOf(profile, groups)}`,
    data: {
      ...factsOf(profile, groups),
      ...Object.fromEntries(lists.map(([name, rows]) => [name, rows.slice(0, most)])),
      coverage,
      note: noteOn(profile, groups),
    },
  });
  // Of all rows, since the first line says what they share.
  const columnsOf = (name: string) => (name === 'holds' ? Object.keys(holdingRow.shape) : []);
  const tables = Object.fromEntries(all.map(([name, rows]) => [name, wholeTable(rows, columnsOf(name))]));
  const lengths = lists.map(([, { length }]) => length);
  return {
    ...withCut(answer, lengths, 'diagnose_access shows one product, list_orders with user_email the orders'),
    tables,
  };
}

/** The courses whose progress could not be read: "course 7 (forbidden: …), course 8". */
function coursesWithoutPercent({ email, holdings, completions }: Profile): string[] {
  return holdings.flatMap(({ kind, id, ref }) => {
    const key = completionKey({ course_id: id, email });
    const why = completions.get(key);
    if (kind !== 'course' || !completions.has(key) || typeof why === 'number') return [];
    return [why === undefined ? ref : `${ref} (${oneLine(why, 160)})`];
  });
}

/** The parts that the API refused, or returned in an unreadable form. */
function refusedIn({ detailsProblem, shown }: Profile): string[] {
  return compact([
    detailsProblem !== undefined && `the details of the student could not be read (${oneLine(detailsProblem, 200)})`,
    shown?.isWhole === false && 'some courses in the details of the student could not be read',
  ]);
}

/** What was read, and why it is not all. */
function coverageOf(profile: Profile, { spent, readAt }: Pick<ToolContext, 'spent' | 'readAt'>) {
  const { copied, holdings, completions, isCut, problem, spellings, stopped, doubts, nameless, discarded } = profile;
  const unread = holdings.filter(({ kind }) => kind === 'course').length - completions.size;
  const isMissing = isCut || problem !== undefined;
  const silent = coursesWithoutPercent(profile);
  const unreadable = mergeUnreadable(countUnreadable(profile.orders.flatMap((order) => order.unreadable)), {
    percentages: silent.length,
    emails: nameless,
  });
  const refused = refusedIn(profile);
  const isRead = unread === 0 && !isMissing;
  const coverage = {
    complete: isRead && !hasUnreadable(unreadable) && refused.length + doubts.length === 0,
    orders_missing: isMissing ? 'some, so held products may be missing too' : undefined,
    courses_without_progress: positive(unread),
    unreadable: hasUnreadable(unreadable) ? unreadable : undefined,
    discarded: positive(discarded),
    ignored_filters: discarded > 0 ? ['user_email'] : undefined,
    doubtful: doubts.length > 0 ? doubts : undefined,
    not_read: refused.join('; ') || undefined,
    without_percent: silent.join(', ') || undefined,
    // The API compares emails with regard to case, so an order with other capitals is not found.
    unpaid_looked_for_under: copied === undefined ? spellings.join(', ') : undefined,
    requests_spent: spent(),
    ...sourceFacts([copied], readAt()),
    stopped: stopped ?? problem,
    // More requests would not return what the API does not provide.
    next: unread > 0 || isCut ? 'raise max_requests' : undefined,
  };
  const why = compact([problem, ...doubts, ...refused, unreadableText(unreadable)]).join('; ');
  return { coverage, why: why || undefined };
}

export const studentProfile = defineTool({
  name: 'student_profile',
  toolset: 'insights',
  title: 'Show the profile of a student',
  description:
    'Tells everything (overview, full picture, history) about one student or customer: what they bought, paid and hold (own): each course and bundle, how they got it and how far they are; newest orders. Why they cannot open one: diagnose_access; bare record: get_student_details.',
  cost: { once: 1, 'per page of orders': 1, 'per course': [1, 3], 'to test the status filter': [0, 1] },
  example: { email: 'freya.hargreaves@example.net' },
  effect: 'read',
  alwaysLoad: true,
  carriesUserContent: true,
  input: z.strictObject({ email: studentEmail, max_requests: common.maxRequests }),
  output: profileOutput,
  run: async ({ email, max_requests }, context) =>
    presentProfile(await readProfile(email, await requestsAllowed(max_requests, context), context), context),
});
