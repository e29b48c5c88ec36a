import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bundleContents,
  bundleNames,
  bundlesCarrying,
  inferBundleContents,
} from '../../../src/insights/sales/bundle-contents.ts';
import { findBuyers, questionAbout } from '../../../src/insights/sales/find-buyers.ts';
import { holdingsOf } from '../../../src/insights/students/holdings.ts';
import { product, sold } from '../../support/sold.ts';

const course = product('course', 7);
const other = product('course', 8);
const year = product('bundle', 3, 'Creative Year');
const path = product('bundle', 1, 'Data Path');

const bundleAlone = [1, 2].map((age) => sold(`year ${age}`, age, { buyer: `b${age}`, products: [year, other] }));
const beside = sold('beside', 3, { buyer: 'c', products: [course, other, year] });

test('a course that is bought beside a bundle did not come in it', () => {
  const buyersOf = (ref: string) => findBuyers([...bundleAlone, beside], questionAbout(ref, false)).buyers;
  expect(buyersOf('course 7').map(({ via }) => via)).toEqual([[]]);
  expect(buyersOf('course 8').map(({ via }) => via)).toEqual([['Creative Year'], ['Creative Year'], ['Creative Year']]);
});

test('if an order lists several bundles, only the one that holds the course is named', () => {
  const orders = [...bundleAlone, sold('path', 4, { products: [path, course] })];
  const both = sold('both', 5, { products: [path, year, course, other] });
  const carries = inferBundleContents([...orders, both]);
  expect(bundlesCarrying(both, 'course 7', carries)).toEqual(['Data Path']);
  expect(bundlesCarrying(both, 'course 8', carries)).toEqual(['Creative Year']);
});

test('an order that is the only one with a bundle is taken to show what the bundle holds', () => {
  expect(bundlesCarrying(beside, 'course 7', inferBundleContents([beside]))).toEqual(['Creative Year']);
});

test('no bundle comes in another', () => {
  const both = sold('both', 5, { products: [path, year] });
  expect(bundlesCarrying(both, 'bundle 1', inferBundleContents([both]))).toEqual([]);
});

test("a student's own orders judge what the student holds", () => {
  const held = holdingsOf([...bundleAlone, beside], []);
  expect(held.find(({ ref }) => ref === 'course 7')?.via).toBeUndefined();
  expect(held.find(({ ref }) => ref === 'course 8')?.via).toBe('Creative Year');
});

const everything = [course, other, product('digital_product', 1), year, path];

test('a bundle carries what more than half of its orders list', () => {
  const baskets = fc.array(fc.subarray(everything), { maxLength: 12 });
  fc.assert(
    fc.property(baskets, (lists) => {
      const orders = lists.map((products, index) => sold(`order ${index}`, index, { products }));
      const carries = inferBundleContents(orders);
      for (const bundle of [year, path]) {
        for (const { ref } of everything) {
          const withBundle = lists.filter((list) => list.includes(bundle));
          const withBoth = withBundle.filter((list) => list.some((listed) => listed.ref === ref));
          expect(carries(bundle.ref, ref)).toBe(withBoth.length > withBundle.length / 2);
        }
      }
    }),
  );
});

test('what a bundle contained at the time of an order is known from three orders of it around that time', () => {
  const early = [90, 80, 70, 60].map((age) => sold(`early ${age}`, age, { products: [year, other] }));
  // The bundle was extended by a course in the middle of the period.
  const late = [50, 40, 30].map((age) => sold(`late ${age}`, age, { products: [year, other, course] }));
  const bump = sold('bump', 75, { products: [year, other, product('digital_product', 9)] });
  const contents = bundleContents([...early, bump, ...late]);
  const at = (age: number, products = [year]) => contents(sold('asked', age, { products }), 'bundle 3', 'course 7');
  expect([at(85), at(35)]).toEqual([false, true]);
  expect(at(50, [year, other, course])).toBe(true);
  expect(contents(bump, 'bundle 3', 'digital_product 9')).toBe(false);
  expect(contents(bump, 'bundle 3', 'course 8')).toBe(true);
  expect(bundleContents(late.slice(1))(bump, 'bundle 3', 'course 8')).toBeUndefined();
});

test('orders that list a bundle alone show nothing of its contents', () => {
  const alone = [1, 2, 3].map((age) => sold(`alone ${age}`, age, { products: [year] }));
  expect(bundleContents(alone)(beside, 'bundle 3', 'course 7')).toBeUndefined();
  expect(bundleNames(beside, 'course 7', bundleContents(alone))).toBe('perhaps Creative Year');
});
