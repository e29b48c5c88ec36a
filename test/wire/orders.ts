import type { WireCase } from './case.ts';

export const orderBody = {
  id: 'ord_7GkQ2xW',
  amount: '149.50',
  currency: 'EUR',
  description: 'Piano for beginners',
  user_email: 'ann+piano@example.com',
  user_name: 'Ann Lee',
  user_first_name: 'Ann',
  user_last_name: 'Lee',
  status: 'paid',
  affiliate_id: null,
  courses: [{ id: 4711, title: 'Piano for beginners' }],
  digital_products: [{ id: 92, title: 'Songbook' }],
  bundles: [],
  billing_city: 'Oulu',
  billing_state: 'Pohjois-Pohjanmaa',
  billing_country: 'FI',
  billing_street: 'Rantakatu 1',
  billing_zip: '90100',
  billing_company: null,
  billing_phone: null,
  created_at: '2025-02-03T04:05:06Z',
  updated_at: '2025-02-04T04:05:06Z',
};

const grantedBody = {
  ...orderBody,
  id: 'ord_granted1',
  amount: '0.0',
  courses: [],
  digital_products: [],
  bundles: [{ id: 81, title: 'Piano starter pack' }],
  user_email: 'Bo@Example.com',
  user_name: 'Bo Ek',
};

export const ordersBody = {
  orders: [orderBody, grantedBody],
  meta: { total_pages: 41, total_orders: 1021, current_page: 1, per_page: 25 },
};

export const orderCases: readonly WireCase[] = [
  {
    endpoint: 'GET /api/v1/orders',
    when: 'without arguments, one page of 25',
    tool: 'list_orders',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/orders', query: 'page=1&per_page=25' },
    answers: { body: ordersBody },
    tells: ['ord_7GkQ2xW', '2025-02-03', 'ann+piano@example.com', '149.50', 'EUR', 'paid', 'Piano for beginners'],
  },
  {
    endpoint: 'GET /api/v1/orders',
    when: 'for a granted bundle and the totals',
    tool: 'list_orders',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/orders', query: 'page=1&per_page=25' },
    answers: { body: ordersBody },
    tells: ['ord_granted1', 'Bo@Example.com', 'Piano starter pack', 'Songbook', 1021],
  },
  {
    endpoint: 'GET /api/v1/orders',
    when: 'with every argument',
    tool: 'list_orders',
    arguments: {
      status: 'wallet_executed',
      user_email: 'ann+piano@example.com',
      created_after: '2025-01-01T00:00:00Z',
      created_before: '2025-03-01T00:00:00Z',
      page: 3,
      per_page: 100,
    },
    sends: {
      method: 'GET',
      path: '/api/v1/orders',
      query:
        'status=wallet_executed&user_email=ann%2Bpiano%40example.com&created_after=2025-01-01T00%3A00%3A00Z&created_before=2025-03-01T00%3A00%3A00Z&page=3&per_page=100',
    },
    answers: {
      body: {
        orders: [{ ...orderBody, status: 'wallet_executed' }],
        meta: { ...ordersBody.meta, current_page: 3, per_page: 100 },
      },
    },
    tells: ['ord_7GkQ2xW', 'wallet_executed'],
  },
  {
    endpoint: 'GET /api/v1/orders',
    when: 'with the billing fields',
    tool: 'list_orders',
    arguments: { status: 'all', detail: 'full' },
    sends: { method: 'GET', path: '/api/v1/orders', query: 'status=all&page=1&per_page=25' },
    answers: { body: ordersBody },
    tells: ['Oulu', 'Rantakatu 1', '90100', 'FI'],
  },
  {
    endpoint: 'GET /api/v1/orders/:id',
    when: 'by its id',
    tool: 'get_order',
    arguments: { order_id: 'ord_7GkQ2xW' },
    sends: { method: 'GET', path: '/api/v1/orders/ord_7GkQ2xW' },
    answers: { body: orderBody },
    tells: ['ord_7GkQ2xW', '149.50', 'EUR', 'paid', 'Ann Lee', 'Piano for beginners', 'Songbook', 'Rantakatu 1'],
  },
  {
    endpoint: 'GET /api/v1/orders/:id',
    when: 'by an id that needs encoding',
    tool: 'get_order',
    arguments: { order_id: 'A.7:ä=1' },
    sends: { method: 'GET', path: '/api/v1/orders/A.7%3A%C3%A4%3D1' },
    answers: { body: { ...orderBody, id: 'A.7:ä=1' } },
    tells: ['A.7:ä=1'],
  },
];
