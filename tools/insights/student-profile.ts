import * as z from 'zod';
import { studentEmail } from '../../src/contract/schemas/input-fields.ts';
import { studentDetails } from '../../src/contract/students.ts';
import { type RowTime, rowTimes } from '../../src/insights/api-time.ts';
import { sourceFacts } from '../../src/insights/freshness.ts';
import { revenueOf, revenueText } from '../../src/insights/money.ts';
import { groupOrders, type SoldOrder } from '../../src/insights/sales/sold-order.ts';
import { coursesInDetails } from '../../src/insights/students/courses-in-details.ts';
import { endedText, type Holding, uncheckedEnd } from '../../src/insights/students/holdings.ts';
import {
  countUnreadable,
  hasUnreadable,
  mergeUnreadable,
  type Unreadable,
  unreadableText,
} from '../../src/insights/unreadable.ts';
import { anyRecord, listOutput, showing } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { counted, wholeTable } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Json } from '../../src/shared/json.ts';
import { asValue } from '../../src/shared/quote-text.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { coverageOutput } from '../../src/workflows/sales/coverage.ts';
import { completionKey } from '../../src/workflows/students/completion-reader.ts';
import { productNamed } from '../../src/workflows/students/loss-lines.ts';
import { type ProfileReading, readProfile } from '../../src/workflows/students/read-profile.ts';
import { incompleteBecause } from './coverage-text.ts';
import { nameLine, noteOf, positive } from './sales-output.ts';
import * as common from './shared-arguments.ts';

const holdingRow = z.looseObject({
  product: z.string().describe('Such as "course 7"'),
  title: z.string().optional(),
  since: z.string().optional(),
  how: z.enum(['bought', 'granted', 'enrolled']).describe('enrolled: held, but no order lists it'),
  via: z.string().optional().describe('Bundle that included it'),
  orders: z.int().optional().describe('Number of orders that list it'),
  course_completion_percent: z.number().optional(),
  access_ended: z.string().optional(),
  against: z.string().optional().describe('What the API shows that speaks against access'),
});

const list = z.array(anyRecord).optional();

const profileOutput = listOutput('holds', holdingRow, {
  student: showing(anyRecord, studentDetails),
  totals: anyRecord,
  bought: list,
  granted: list,
  unpaid: list,
  coverage: coverageOutput,
  note: z.string(),
});

const holdingColumns = Object.keys(holdingRow.shape);

/** Orders that each list of the answer shows: its newest. */
const maxOrders = 5;

function holdingOf({ email, completions, ended, against }: Profile, holding: Holding, rowTime: RowTime): Json {
  const { ref, id, title, how, via, since, orders } = holding;
  const percent = ref.startsWith('course ') ? completions.get(completionKey({ course_id: id, email })) : undefined;
  return {
    product: ref,
    title: nameLine(title),
    since: rowTime(since),
    how,
    via: nameLine(via),
    orders: positive(orders.length),
    course_completion_percent: percent,
    access_ended: ended.get(ref),
    against: against.get(ref)?.join(', ') || undefined,
  };
}

/** An order without its buyer, who is the student. The table of held products has the titles of its products. */
function orderRow(order: SoldOrder, { holdings }: Profile, rowTime: RowTime): Json {
  const { id, created_at, amount, currency, status, products, unread } = order;
  const titled = new Set(holdings.map(({ ref }) => ref));
  const listed = products.map((one) => (titled.has(one.ref) ? one.ref : productNamed(one)));
  return {
    id,
    date: rowTime(created_at),
    amount: nameLine(amount),
    currency,
    status,
    products: [...listed, ...unread.map((kind) => `unreadable: ${kind}`)].join(', ') || undefined,
  };
}

/** Each unknown status, such as "completed", with its number of orders. */
function otherStatuses(orders: readonly SoldOrder[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { status = 'none' } of orders) counts.set(status, (counts.get(status) ?? 0) + 1);
  return Object.fromEntries(counts);
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
  const { student, email, holdings, ended, against } = profile;
  const all = against.get('') ?? [];
  const hindered = holdings.filter(({ ref }) => (against.get(ref)?.length ?? 0) + all.length > 0).length;
  const signs = hindered === 0 ? '' : ` (something speaks against access to ${hindered} of them)`;
  const held = `${asValue(nameLine(student.name) ?? email)}: ${counted(holdings.length, 'product')} held${endedText(holdings, ended)}${signs}`;
  const orders = `${counted(bought.length, 'order')} bought (${revenueText(revenueOf(bought))})`;
  return `${held}, ${orders}, ${granted.length} of amount 0 (granted, free or a coupon), ${unpaid.length} unpaid${rareCountsText({ bought, granted, unpaid, ...rest })}.`;
}

/** The facts that stay when the lists are cut. */
function factsOf({ student }: Profile, { bought, granted, unpaid, refunds, unclear, other }: OrderGroups): Json {
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
  };
}

function noteOn({ student, holdings, ended, against, namesakes }: Profile, groups: OrderGroups): string | undefined {
  const signs = holdings.length > 0 ? (against.get('') ?? []) : [];
  const older = Object.values(groups).some(({ length }) => length > maxOrders);
  return noteOf(
    namesakes,
    older
      ? `orders: the newest ${maxOrders} of each list; list_orders with user_email and status all has every order`
      : undefined,
    'roles' in student ? undefined : 'the API does not return the roles of a student',
    uncheckedEnd(holdings, ended),
    signs.length > 0 ? `against access to all of it: ${signs.join(', ')}` : undefined,
  );
}

/** The profile: what the student holds, and the newest orders of each group. */
function presentProfile(profile: Profile, context: Pick<ToolContext, 'spent' | 'readAt' | 'timezone'>): Presented {
  const groups = groupOrders(profile.orders);
  const rowTime = rowTimes(context.timezone);
  const coverage = coverageOf(profile, context);
  const note = noteOn(profile, groups);
  const orderRows = Object.entries(groups).map(
    ([name, list]) => [name, list.map((order) => orderRow(order, profile, rowTime))] as const,
  );
  const holds = profile.holdings.map((holding) => holdingOf(profile, holding, rowTime));
  const all = [['holds', holds] as const, ...orderRows].filter(([, list]) => list.length > 0);
  const lists = all.map(([name, list]) => [name, name === 'holds' ? list : list.slice(0, maxOrders)] as const);
  const answer = (most: number) => ({
    summary: `${coverage.complete === true ? '' : `${incompleteStart(profile)}: `}${summaryOf(profile, groups)}`,
    data: {
      ...factsOf(profile, groups),
      ...Object.fromEntries(lists.map(([name, list]) => [name, list.slice(0, most)])),
      coverage,
      note,
    },
  });
  // Of all rows, since the first line says what they share.
  const tables = Object.fromEntries(
    all.map(([name, list]) => [name, wholeTable(list, name === 'holds' ? holdingColumns : [])]),
  );
  const lengths = lists.map(([, list]) => list.length);
  return {
    ...withCut(answer, lengths, 'diagnose_access shows one product, list_orders with user_email the orders'),
    tables,
  };
}

interface Profile extends ProfileReading {
  email: string;
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
  return mergeUnreadable(countUnreadable(profile.orders.flatMap((order) => order.unreadable)), {
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

function coverageOf(profile: Profile, { spent, readAt }: Pick<ToolContext, 'spent' | 'readAt'>): Json {
  const { copied, holdings, completions, isCut, problem, spellings, stopped, doubts } = profile;
  const unread = holdings.filter(({ kind }) => kind === 'course').length - completions.size;
  const isMissing = isCut || problem !== undefined;
  const unreadable = unreadableIn(profile);
  const refused = refusedIn(profile);
  const complete = unread === 0 && !isMissing && !hasUnreadable(unreadable) && refused.length + doubts.length === 0;
  return {
    complete,
    orders_missing: isMissing ? 'some, so held products may be missing too' : undefined,
    courses_without_progress: unread > 0 ? unread : undefined,
    unreadable: hasUnreadable(unreadable) ? unreadable : undefined,
    discarded: profile.discarded > 0 ? profile.discarded : undefined,
    ignored_filters: profile.discarded > 0 ? ['user_email'] : undefined,
    doubtful: doubts.length > 0 ? doubts : undefined,
    not_read: refused.join('; ') || undefined,
    without_percent: coursesWithoutPercent(profile).join(', ') || undefined,
    // The API compares emails with regard to case, so an order with other capitals is not found.
    unpaid_looked_for_under: copied === undefined ? spellings.join(', ') : undefined,
    requests_spent: spent(),
    ...sourceFacts(copied === undefined ? [] : [copied], readAt()),
    stopped: stopped ?? problem,
    // More requests would not return what the API does not provide.
    next: complete || (unread === 0 && !isCut) ? undefined : 'raise max_requests',
  };
}

/** "Incomplete (why)", the first words about a profile that is not complete. */
function incompleteStart(profile: Profile): string {
  const reasons = [profile.problem, ...profile.doubts, ...refusedIn(profile), unreadableText(unreadableIn(profile))];
  const why = reasons.filter(Boolean).join('; ');
  return why === '' ? 'Incomplete' : incompleteBecause(why);
}

export const studentProfile = defineTool({
  name: 'student_profile',
  toolset: 'insights',
  title: 'Show the profile of a student',
  description:
    'Tells everything (overview, full picture, history) about one student or customer: what they bought, paid and hold (own): each course and bundle, how they got it and how far they are; newest orders. Why they cannot open one: diagnose_access; bare record: get_student_details.',
  cost: {
    requests: 1,
    plus: [
      { requests: 1, per: 'page of orders' },
      { requests: [1, 3], per: 'course' },
      { requests: [0, 1], when: 'to test the status filter' },
    ],
  },
  example: { email: 'freya.hargreaves@example.net' },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({ email: studentEmail, max_requests: common.maxRequests }),
  output: profileOutput,
  run: async ({ email, max_requests }, context) => {
    const profile = await readProfile(email, await requestsAllowed(max_requests, context), context);
    return presentProfile({ email, ...profile }, context);
  },
});
