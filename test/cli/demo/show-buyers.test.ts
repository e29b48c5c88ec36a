import { expect, test } from 'vitest';
import { coursesIn, excerptOfReport } from '../../../src/cli/demo/show-buyers.ts';

const groups = ['bundle 1', 'course 12', 'digital_product 2', 'course 1', 'none', 'course 3', 'course 4'].map(
  (key) => ({
    key,
    label: `Title of ${key}`,
  }),
);

test('the courses of a report keep its order, without bundles and downloads', () => {
  expect(coursesIn(groups).map(({ id }) => id)).toEqual([12, 1, 3, 4]);
  expect(coursesIn(groups)[0]?.title).toBe('Title of course 12');
});

test('of a long report, the first line and the best rows are shown', () => {
  const rows = groups.map(({ key, label }) => `${key} | ${label}`);
  const text = ['Sales.', 'group_by: product', 'groups (7):', 'key | label', ...rows, 'coverage: complete=true'].join(
    '\n',
  );
  expect(excerptOfReport(text, 7)).toEqual(['Sales.', 'key | label', ...rows.slice(0, 5), '(2 more rows)']);
  expect(excerptOfReport(['Sales.', 'key | label', 'course 1 | A', 'coverage: x'].join('\n'), 1)).toEqual([
    'Sales.',
    'key | label',
    'course 1 | A',
  ]);
});
