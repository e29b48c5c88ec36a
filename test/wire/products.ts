import type { WireCase } from './case.ts';

const attributes = {
  title: 'Piano for beginners',
  description: 'Forty short lessons.',
  is_published: true,
  price: '149.50',
  hidden: false,
  launch_date: '2024-09-01',
  days_of_access: 365,
  preview_page: 'landing',
  allow_purchase_from_landing: true,
  join_button_text: 'Join the class',
};

export const productBody = {
  product: {
    product_type: 'course',
    id: 4711,
    title: 'Piano for beginners',
    slug: 'piano-for-beginners',
    is_challenge: false,
    attributes,
    truncated_attributes: ['description'],
  },
};

const repriced = { product: { ...productBody.product, attributes: { ...attributes, price: '99.00' } } };

const everyField = {
  title: 'Piano, first year',
  description: 'Fifty lessons.',
  is_published: false,
  price: '99.00',
  hidden: true,
  launch_date: '2025-01-15',
  days_of_access: 180,
  preview_page: 'landing',
  allow_purchase_from_landing: false,
  join_button_text: 'Start',
};

export const productCases: readonly WireCase[] = [
  {
    endpoint: 'GET /api/v1/products',
    when: 'without arguments',
    tool: 'search_products',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/products' },
    answers: {
      body: {
        products: [{ product_type: 'project', id: 7007, title: 'Recital', slug: 'recital' }],
        count: 1,
      },
    },
    tells: ['project', 7007, 'Recital', 'recital'],
  },
  {
    endpoint: 'GET /api/v1/products',
    when: 'with every argument',
    tool: 'search_products',
    arguments: { query: 'C++ & co = 100%', product_type: 'offer', limit: 25 },
    sends: {
      method: 'GET',
      path: '/api/v1/products',
      query: 'query=C%2B%2B+%26+co+%3D+100%25&product_type=offer&limit=25',
    },
    answers: {
      body: { products: [{ product_type: 'bundle', id: 81, title: 'Piano starter pack', slug: 'pack' }], count: 1 },
    },
    tells: ['bundle', 81, 'Piano starter pack'],
  },
  {
    endpoint: 'GET /api/v1/products/:product_type/:id_or_slug',
    when: 'by its slug',
    tool: 'get_product',
    arguments: { product_type: 'course', id_or_slug: 'piano-for-beginners' },
    sends: { method: 'GET', path: '/api/v1/products/course/piano-for-beginners' },
    answers: { body: productBody },
    tells: [4711, 'course', 'Piano for beginners', 'Forty short lessons.', '149.50', 365, 'Join the class'],
  },
  {
    endpoint: 'GET /api/v1/products/:product_type/:id_or_slug',
    when: 'by its id, with the attributes that were cut named',
    tool: 'get_product',
    arguments: { product_type: 'digital_product', id_or_slug: '92' },
    sends: { method: 'GET', path: '/api/v1/products/digital_product/92' },
    answers: {
      body: {
        product: {
          product_type: 'digital_product',
          id: 92,
          title: 'Songbook',
          slug: 'songbook',
          is_challenge: false,
          attributes: { title: 'Songbook', join_button_text: 'Get it' },
          truncated_attributes: ['join_button_text'],
        },
      },
    },
    tells: [92, 'Songbook', 'join_button_text'],
  },
  {
    endpoint: 'GET /api/v1/products/:product_type/:id_or_slug',
    when: 'by a slug that needs encoding',
    tool: 'get_product',
    arguments: { product_type: 'bundle', id_or_slug: 'café:101+ä&b' },
    sends: { method: 'GET', path: '/api/v1/products/bundle/caf%C3%A9%3A101%2B%C3%A4%26b' },
    answers: { body: { product: { ...productBody.product, slug: 'café:101+ä&b' } } },
    tells: [4711],
  },
  {
    endpoint: 'PATCH /api/v1/products/:product_type/:id_or_slug',
    when: 'with one field',
    tool: 'update_product',
    arguments: { product_type: 'course', id_or_slug: 'piano-for-beginners', price: '99.00' },
    sends: {
      method: 'PATCH',
      path: '/api/v1/products/course/piano-for-beginners',
      body: { product: { price: '99.00' } },
    },
    looksUp: ['GET /api/v1/products/course/piano-for-beginners'],
    answers: { body: repriced },
    tells: [4711, '99.00'],
  },
  {
    endpoint: 'PATCH /api/v1/products/:product_type/:id_or_slug',
    when: 'with every field of a sellable product',
    tool: 'update_product',
    arguments: { product_type: 'challenge', id_or_slug: '4711', ...everyField },
    sends: { method: 'PATCH', path: '/api/v1/products/challenge/4711', body: { product: everyField } },
    looksUp: ['GET /api/v1/products/challenge/4711'],
    answers: { body: productBody },
    tells: [4711],
  },
  {
    endpoint: 'PATCH /api/v1/products/:product_type/:id_or_slug',
    when: 'of a project',
    tool: 'update_product',
    arguments: {
      product_type: 'project',
      id_or_slug: 'recital',
      title: 'Recital',
      description: 'Play',
      course_id: 4711,
    },
    sends: {
      method: 'PATCH',
      path: '/api/v1/products/project/recital',
      body: { product: { title: 'Recital', description: 'Play', course_id: 4711 } },
    },
    looksUp: ['GET /api/v1/products/project/recital', 'GET /api/v1/courses/4711'],
    answers: { body: { product: { product_type: 'project', id: 7007, title: 'Recital', slug: 'recital' } } },
    tells: [7007, 'Recital'],
  },
];
