import type { WireCase } from './case.ts';

export const bundleBody = {
  id: 81,
  title: 'Piano starter pack',
  description: 'Two courses and a songbook.',
  slug: 'piano-starter-pack',
  is_published: true,
  cover_image_thumbnail_url: 'https://cdn.example/pack.jpg',
  product_count: 1313,
};

export const digitalProductBody = {
  id: 92,
  title: 'Songbook',
  description: 'Thirty easy songs.',
  price: '19.90',
  is_published: true,
  cover_image_url: 'https://cdn.example/songbook.jpg',
  product_type: 'download',
  slug: 'songbook',
};

const { product_type: _type, slug: _slug, ...digitalProductItem } = digitalProductBody;

export const catalogueCases: readonly WireCase[] = [
  {
    endpoint: 'GET /api/v1/bundles',
    when: 'always',
    tool: 'list_bundles',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/bundles' },
    answers: {
      body: {
        bundles: [
          { id: 81, title: 'Piano starter pack' },
          { id: 82, title: 'Everything' },
        ],
      },
    },
    tells: [81, 'Piano starter pack', 82, 'Everything'],
  },
  {
    endpoint: 'GET /api/v1/bundles/:id',
    when: 'by its id',
    tool: 'get_bundle',
    arguments: { bundle_id: 81 },
    sends: { method: 'GET', path: '/api/v1/bundles/81' },
    answers: { body: bundleBody },
    tells: [81, 'Piano starter pack', 'Two courses and a songbook.', 'piano-starter-pack', 1313],
  },
  {
    endpoint: 'GET /api/v1/digital_products',
    when: 'always',
    tool: 'list_digital_products',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/digital_products' },
    answers: { body: { digital_products: [digitalProductItem] } },
    tells: [92, 'Songbook', '19.90'],
  },
  {
    endpoint: 'GET /api/v1/digital_products/:id',
    when: 'by its id',
    tool: 'get_digital_product',
    arguments: { digital_product_id: 92 },
    sends: { method: 'GET', path: '/api/v1/digital_products/92' },
    answers: { body: digitalProductBody },
    tells: [92, 'Songbook', 'Thirty easy songs.', '19.90', 'download', 'songbook'],
  },
];
