import { courseCompletion } from '../../../../src/sandbox/state/completion.ts';
import { exactly } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { buyers, courseId, ordersOf, productNamed, sold } from '../../truth.ts';

const course = 'Watercolour Basics';
const period = { from: '2026-01-01', before: '2026-06-01' };

export const check: Check = {
  says: (academy) => {
    const orders = sold(academy, { ...period, course });
    const id = courseId(academy, course);
    const idle = orders.filter(({ student_id }) => courseCompletion(academy, student_id, id) === 0);
    return [exactly(academy, buyers(academy, idle))];
  },
  reads: () => [productNamed(course), ...ordersOf(period.from, period.before), '/api/v1/students/completions'],
};
