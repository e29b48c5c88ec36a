import { expect, test } from 'vitest';
import { readProducts } from '../../../src/insights/sales/products-in-order.ts';

const all = ['course', 'bundle', 'digital_product'];
const refsOf = (order: object) => readProducts({ ...order }).products.map(({ ref }) => ref);
const unreadOf = (order: object) => readProducts({ ...order }).unread;
const withBundles = (bundles: unknown) => ({ courses: [], bundles, digital_products: [] });

test('the documented form is read', () => {
  const order = { courses: [{ id: 21, title: 'Oil' }], bundles: [{ id: 3, title: 'All' }], digital_products: [] };
  expect(readProducts(order)).toEqual({
    products: [
      { ref: 'course 21', kind: 'course', id: 21, title: 'Oil' },
      { ref: 'bundle 3', kind: 'bundle', id: 3, title: 'All' },
    ],
    unread: [],
    listed: all,
  });
});

const forms: [form: string, bundles: unknown][] = [
  ['bare ids', [31]],
  ['digits', ['31']],
  ['{id} as text', [{ id: '31' }]],
  ['{id, name}', [{ id: 31, name: 'All' }]],
  ['{bundle_id}', [{ bundle_id: 31 }]],
  ['{bundleId}', [{ bundleId: '31' }]],
  ['{offer_id}', [{ offer_id: 31 }]],
  ['{product_id}', [{ product_id: 31, title: 'All' }]],
  ['{bundle: {id}}', [{ bundle: { id: 31, title: 'All' } }]],
  ['{offer: {id}}', [{ offer: { id: 31 } }]],
  ['{product: {id}}', [{ product: { id: 31, title: 'All' } }]],
  ['a row with an id of its own', [{ id: 9001, bundle_id: 31, order_id: 5, title: 'All' }]],
  ['a row with an id of its own and {bundle: {id}}', [{ id: 9001, bundle: { id: 31 } }]],
  ['a map of id to title', { 31: 'All' }],
  ['a map of id to record', { 31: { title: 'All' } }],
  ['a list under data', { data: [{ id: 31 }] }],
  ['attributes', [{ id: '31', type: 'bundles', attributes: { title: 'All' } }]],
];

test('each plausible form of an entry is read', () => {
  for (const [form, bundles] of forms) {
    expect(refsOf(withBundles(bundles)), form).toEqual(['bundle 31']);
    expect(unreadOf(withBundles(bundles)), form).toEqual([]);
  }
});

const unreadForms: [form: string, bundles: unknown][] = [
  ['a title', ['All']],
  ['{title}', [{ title: 'All', slug: 'all' }]],
  ['a row without the id of a product', [{ id: 9001, order_id: 5, title: 'All' }]],
  ['two ids of which nobody can tell', [{ id: 31, product_id: 900 }]],
  ['an entry of another kind', [{ id: 31, type: 'course' }]],
  ['titles in one text', 'All, More'],
  ['null as an entry', [null]],
  ['an id that is none', [{ id: 'bundle_31' }]],
  ['0', [0]],
  ['a fraction', [3.1]],
  ['a map by place', { 0: { id: 31 } }],
  ['a map by place, from 1', { 1: { id: 31, title: 'All' } }],
  ['a map of places to ids', { 1: 31, 2: 32 }],
  ['a number', 3],
];

test('a list in an unknown form counts as unread, not as empty', () => {
  for (const [form, bundles] of unreadForms) {
    expect(refsOf(withBundles(bundles)), form).toEqual([]);
    expect(unreadOf(withBundles(bundles)), form).toEqual(['bundle']);
  }
});

test('an entry that can be read is kept beside one that cannot', () => {
  const order = withBundles([{ id: 31 }, 'More']);
  expect(refsOf(order)).toEqual(['bundle 31']);
  expect(unreadOf(order)).toEqual(['bundle']);
});

test('empty lists are readable, and those left out beside others are empty', () => {
  expect(unreadOf(withBundles([]))).toEqual([]);
  expect(unreadOf({ courses: [{ id: 1 }], tags: ['a'], custom: { deep: [1] }, coupon: null })).toEqual([]);
  expect(unreadOf({ courses: [{ id: 1 }], bundles: null })).toEqual([]);
});

test('an order without any list could not be read', () => {
  for (const order of [{}, { courses: null, bundles: null, digital_products: null }, { courses: '' }]) {
    expect(unreadOf({ amount: '49.00', ...order })).toEqual(all);
  }
});

test('lists of all kinds are read by what each entry says it is', () => {
  const line_items = [
    { id: 9001, type: 'course', product_id: 21, title: 'Oil' },
    { id: 9002, type: 'Offer', product_id: '3' },
    { id: 9003, bundle_id: 4 },
    { id: 9004, product: { product_type: 'digital_product', id: 7 } },
  ];
  expect(refsOf({ line_items })).toEqual(['course 21', 'bundle 3', 'bundle 4', 'digital_product 7']);
  expect(unreadOf({ line_items })).toEqual([]);
  expect(refsOf({ products: [{ product_type: 'challenge', id: 5 }] })).toEqual(['course 5']);
});

test('a line that has only an id of its own is unreadable', () => {
  expect(unreadOf({ line_items: [{ id: 9001, type: 'course', title: 'Oil' }] })).toEqual(all);
  expect(unreadOf({ line_items: [{ id: 9001, product_id: 21 }] })).toEqual(all);
});

test('other names of the lists are read', () => {
  expect(refsOf({ course_ids: [1], bundle_ids: ['2'], digital_product_ids: [] })).toEqual(['course 1', 'bundle 2']);
  expect(refsOf({ courses: [], offers: [{ id: 2 }], digital_products: [] })).toEqual(['bundle 2']);
});

test('a field that may hold products makes a missing list unread', () => {
  expect(unreadOf({ courses: [{ id: 1 }], packages: [{ id: 2, title: 'All' }] })).toEqual([
    'bundle',
    'digital_product',
  ]);
  expect(unreadOf({ courses: [{ id: 1 }], bundle_id: 2 })).toEqual(['bundle', 'digital_product']);
  const jsonApi = { data: [{ id: '1', type: 'courses', attributes: { title: 'One' } }] };
  expect(unreadOf({ ...jsonApi, bundles: [], digital_products: [] })).toEqual(['course']);
  expect(unreadOf({ courses: [{ id: 1 }], items: [{ sku: 'x' }] })).toEqual(['bundle', 'digital_product']);
  expect(unreadOf({ ...withBundles([]), packages: [{ id: 2, title: 'All' }] })).toEqual([]);
});
