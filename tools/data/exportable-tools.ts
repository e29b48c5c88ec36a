import type { Json } from '../../src/shared/json.ts';
import type { RowTool } from '../../src/workflows/read-whole-result.ts';
import { definedFields } from '../defined-fields.ts';
import { findBuyers } from '../insights/find-buyers.ts';
import { salesReport } from '../insights/sales-report.ts';
import { listStudents } from '../students/list-students.ts';

/** More than any list has: a call beside tools/call is not bound by the limit of its schema. */
const everyRow = { limit: 1_000_000 };
const parts = ['limit', 'cursor', 'page', 'totals_only'];

/** The answer names the currency of most sums once, and leaves out that somebody has one order. */
function buyerOf({ email, name, orders = 1, amount, alone_total, ...row }: Json, { currency }: Json): Json {
  const sum = (value: unknown) => (typeof value === 'string' ? { [String(currency)]: value } : value);
  return definedFields({ email, name, orders, amount: sum(amount), alone_total: sum(alone_total), ...row });
}

/** The tools whose whole results are worth a file, by name. */
export const exportable = {
  find_buyers: { tool: findBuyers, list: 'buyers', parts, whole: { ...everyRow, detail: 'full' }, rowOf: buyerOf },
  sales_report: { tool: salesReport, list: 'groups', parts, whole: { detail: 'full' } },
  list_students: { tool: listStudents, list: 'students', parts, whole: everyRow },
} as const satisfies Record<string, RowTool>;

export const exportableNames = Object.keys(exportable) as (keyof typeof exportable)[];
