import type { Assumption } from '../assumption.ts';
import { accountAssumptions } from './account.ts';
import { courseAssumptions } from './courses.ts';
import { orderProductAssumptions } from './order-products.ts';
import { orderValueAssumptions } from './order-values.ts';
import { orderAssumptions } from './orders.ts';
import { platformAssumptions } from './platform.ts';
import { detailAssumptions } from './student-details.ts';
import { studentAssumptions } from './students.ts';

/** Every assumption that `doctor` checks, by the headings of its output and of docs/api-assumptions.md. */
export const assumptions: Readonly<Record<string, readonly Assumption[]>> = {
  Platform: platformAssumptions,
  Account: accountAssumptions,
  Orders: [...orderAssumptions, ...orderValueAssumptions, ...orderProductAssumptions],
  Courses: courseAssumptions,
  Students: [...studentAssumptions, ...detailAssumptions],
};
