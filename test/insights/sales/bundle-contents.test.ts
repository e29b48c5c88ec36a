import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bundleContents, bundleNames } from '../../../src/insights/sales/bundle-contents.ts';
import { product, sold } from '../../support/sold.ts';

const course = product('course', 7);
const other = product('course', 8);
const year = product('bundle', 3, 'Creative Year');
const path = product('bundle', 1, 'Data Path');

const bundleAlone = [1, 2].map((age) => sold(`year ${age}`, age, { buyer: `b${age}`, products: [year, other] }));
const beside = sold('beside', 3, { buyer: 'c', products: [course, other, year] });

test('if an order lists several bundles, only the one that holds the course is named', () => {
  const orders = [4, 5, 6].map((age) => sold(`path ${age}`, age, { products: [path, course] }));
  const both = sold('both', 5, { products: [path, year, course, other] });
  const older = [6, 7].map((age) => sold(`year ${age}`, age, { products: [year, other] }));
  const contents = bundleContents([...older, ...bundleAlone, ...orders, both]);
  expect(bundleNames(both, 'course 7', contents)).toEqual(['Data Path']);
  expect(bundleNames(both, 'course 8', contents)).toEqual(['Creative Year']);
});

test('no bundle comes in another', () => {
  const both = sold('both', 5, { products: [path, year] });
  expect(bundleNames(both, 'bundle 1', bundleContents([both, both, both]))).toEqual([]);
});

const everything = [course, other, product('digital_product', 1), year, path];

test('a product that all orders of a bundle list, or none, is known; with fewer than three orders it is not', () => {
  const baskets = fc.array(fc.subarray(everything), { maxLength: 12 });
  fc.assert(
    fc.property(baskets, (lists) => {
      const orders = lists.map((products, index) => sold(`order ${index}`, index, { products }));
      const contents = bundleContents(orders);
      for (const { ref } of everything.slice(0, 3)) {
        const withBundle = orders.filter(
          ({ products }) => products.includes(year) && products.some(({ kind }) => kind !== 'bundle'),
        );
        const listing = withBundle.filter(({ products }) => products.some((listed) => listed.ref === ref)).length;
        for (const order of withBundle) {
          const isIn = contents(order, year.ref, ref);
          if (withBundle.length < 3) expect(isIn).toBeUndefined();
          else if (listing === withBundle.length || listing === 0) expect(isIn).toBe(listing > 0);
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
  expect(bundleNames(beside, 'course 7', bundleContents(alone))).toEqual(['perhaps Creative Year']);
});
