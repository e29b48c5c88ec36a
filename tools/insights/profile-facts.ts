import * as z from 'zod';
import { type Completions, completionKey } from '../../src/api/completions.ts';
import type { KnownOrder, KnownStudent } from '../../src/api/student-orders.ts';
import { studentDetails } from '../../src/contract/students.ts';
import { revenueOf, revenueText } from '../../src/insights/money.ts';
import { asOf } from '../../src/insights/period.ts';
import { soldOrder } from '../../src/insights/sold-order.ts';
import { type Holding, partOrders } from '../../src/insights/standing.ts';
import { present } from '../../src/mcp/fence.ts';
import { coverageOutput } from '../../src/mcp/order-question.ts';
import { anyRecord, listOutput } from '../../src/mcp/output.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { presentOrder } from '../orders/order-row.ts';
import { counted, defined, nameLine } from './sales-facts.ts';

type Json = Record<string, unknown>;

const holdingRow = z.looseObject({
  product: z.string().describe('Such as "course 7"'),
  title: z.string().optional(),
  how: z.enum(['bought', 'granted', 'enrolled']).describe('enrolled: the API lists it, no order says why'),
  via: z.string().optional().describe('The bundle that it came in'),
  since: z.string().optional(),
  orders: z.string().optional().describe('Ids of the orders that list it'),
  completion_percent: z.int().optional(),
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

interface Profile {
  email: string;
  student: KnownStudent;
  orders: readonly KnownOrder[];
  holdings: readonly Holding[];
  completions: Completions;
  stopped: string | undefined;
}

function holdingOf({ email, completions }: Profile, { ref, id, title, how, via, since, orders }: Holding): Json {
  const percent = ref.startsWith('course ') ? completions.get(completionKey({ course_id: id, email })) : undefined;
  return defined({
    product: ref,
    title: nameLine(title),
    how,
    via: nameLine(via),
    since,
    orders: orders.join(' ') || undefined,
    completion_percent: percent,
  });
}

/** An order without its buyer: that is the student. */
function orderRow(order: KnownOrder): Json {
  const { email: _email, name: _name, granted: _granted, ...row } = presentOrder(order, 'summary');
  return row;
}

/** Orders apart by what they were. Where it is too long, the oldest are left out: what is held now stands first. */
export function presentProfile(profile: Profile, { spent, now }: Pick<ToolContext, 'spent' | 'now'>): Presented {
  const { student, orders, holdings, completions, stopped } = profile;
  const { paid_orders: _paid, enrolled_courses: _enrolled, ...facts } = student;
  const rows = new Map(orders.map((order) => [soldOrder(order).id, orderRow(order)]));
  const parts = partOrders(orders.map(soldOrder));
  const { bought, granted, unpaid } = parts;
  const unread = holdings.filter(({ kind }) => kind === 'course').length - completions.size;
  const revenue = revenueOf(bought);
  const counts = { bought: bought.length, granted: granted.length, unpaid: unpaid.length };
  const summary = `${unread > 0 ? 'Incomplete: ' : ''}${nameLine(student.name) ?? profile.email}: ${counted(holdings.length, 'product')} held, ${counts.bought} orders bought (${revenueText(revenue)}), ${counts.granted} granted, ${counts.unpaid} unpaid.`;

  function answer(most: number) {
    const shown = Object.entries(parts).map(([name, list]) => [
      name,
      list.slice(0, most).map(({ id }) => rows.get(id)),
    ]);
    const lists = shown.filter(([, list]) => list !== undefined && list.length > 0);
    return {
      summary,
      data: {
        student: present(studentDetails, facts),
        totals: { ...counts, revenue },
        ...(holdings.length > 0 ? { holds: holdings.map((holding) => holdingOf(profile, holding)) } : {}),
        ...Object.fromEntries(lists),
        coverage: defined({
          complete: unread === 0,
          courses_without_progress: unread > 0 ? unread : undefined,
          requests_spent: spent(),
          as_of: asOf(now()),
          stopped,
        }),
        ...('roles' in student ? {} : { note: 'the API does not show which roles a student has' }),
      },
    };
  }

  const how = 'read the older orders with list_orders and user_email';
  const to = (most: number) => ({ ...answer(most), shown: most, how });
  const longest = Math.max(bought.length, granted.length, unpaid.length);
  return { ...answer(longest), cut: { records: longest, to } };
}
