import { accessCases } from './access.ts';
import { courseCases } from './account-and-courses.ts';
import type { WireCase } from './case.ts';
import { catalogueCases } from './catalogue.ts';
import { communityCases } from './community.ts';
import { lessonCases } from './lessons.ts';
import { orderCases } from './orders.ts';
import { productCases } from './products.ts';
import { studentCases } from './students.ts';

export const wireCases: readonly WireCase[] = [
  ...courseCases,
  ...lessonCases,
  ...catalogueCases,
  ...productCases,
  ...communityCases,
  ...orderCases,
  ...studentCases,
  ...accessCases,
];

/** One case of each operation that writes. */
export const writeCases: readonly WireCase[] = wireCases.filter(
  ({ sends, endpoint }, index) =>
    sends.method !== 'GET' &&
    !endpoint.endsWith('/completion-percentage') &&
    wireCases.findIndex((other) => other.endpoint === endpoint) === index,
);
