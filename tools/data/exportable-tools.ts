import type { RowTool } from '../../src/workflows/read-whole-result.ts';
import { findBuyers } from '../insights/find-buyers.ts';
import { salesReport } from '../insights/sales-report.ts';
import { listStudents } from '../students/list-students.ts';

/** More than any list has: a call beside tools/call is not bound by the limit of its schema. */
const everyRow = { limit: 1_000_000 };
const parts = ['limit', 'cursor', 'page', 'totals_only'];

/** The tools whose whole results are worth a file, by name. */
export const exportable = {
  find_buyers: { tool: findBuyers, list: 'buyers', parts, whole: everyRow },
  sales_report: { tool: salesReport, list: 'groups', parts, whole: {} },
  list_students: { tool: listStudents, list: 'students', parts, whole: everyRow },
} as const satisfies Record<string, RowTool>;

export const exportableNames = Object.keys(exportable) as (keyof typeof exportable)[];
