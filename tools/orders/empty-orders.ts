import { emptyPeriodNote } from '../../src/insights/empty-period.ts';
import type { PageFacts } from '../../src/mcp/output/pagination.ts';
import type { OrderFilters } from './filter-orders.ts';

/** Without it an assistant would say that a student bought nothing if the order has their email in capitals. */
const spellingNote =
  'no order of that status has exactly this email; capitals count. get_student_details shows the paid orders of a student under every spelling of the email';

/** Undefined for a page that should have orders. */
function beyondText({ page, total_pages: pages, total }: PageFacts): string | undefined {
  if (pages === undefined) return `page ${page} has no orders: it may be beyond the last page`;
  if (page <= pages) return undefined;
  return `page ${page} is beyond the last one: ${pages} pages${total === undefined ? '' : `, ${total} orders`}`;
}

/** What was asked: "status paid, from 2026-01-01, before 2026-02-01". */
function askedText({ status = 'paid', created_after: after, created_before: before }: OrderFilters): string {
  const bounds = [
    ...(after === undefined ? [] : [`from ${after}`]),
    ...(before === undefined ? [] : [`before ${before}`]),
  ];
  return [status === 'all' ? 'of any status' : `of status ${status}`, ...bounds].join(', ');
}

/** Why a page of orders is empty. */
export function emptyOrdersNote(filters: OrderFilters, facts: PageFacts, now: Date): string | undefined {
  const { user_email, status } = filters;
  if (facts.page > 1) return beyondText(facts);
  const impossible = emptyPeriodNote(filters, now);
  if (impossible !== undefined) return impossible;
  if (user_email !== undefined) return spellingNote;
  const other = status === 'all' ? '' : '; status "all" shows every status';
  return `no order ${askedText(filters)}${other}`;
}
