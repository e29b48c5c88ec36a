import { capabilityNames } from './document.ts';
import { type Reply, startRecorder } from './recorder.ts';

type Json = Record<string, unknown>;

/** Personal data of the fictional student: `doctor` may print none of it. */
export const personal = { email: 'ina.lind@example.com', name: 'Ina Lind', city: 'Turku' };

const time = '2026-01-15T10:00:00Z';

export const account = {
  account: {
    ...{ subdomain: 'meadow', app_name: 'Meadow School', custom_domain: null, currency: 'EUR', locale: 'en' },
    ...{ subscription_plan: 'standard', card_processor_connected: true, wallet_processor_connected: false },
    ...{ enrollment_open: true, member_list_enabled: true, points_enabled: true, community_enabled: true },
  },
  capabilities: Object.fromEntries(capabilityNames.map((name) => [name, true])),
  webhook_events: ['new_student', 'new_order'],
};

export const order = {
  ...{ id: 'A1', amount: '49.00', currency: 'EUR', description: 'Course: Baking', status: 'paid', affiliate_id: null },
  ...{ user_email: personal.email, user_name: personal.name, user_first_name: 'Ina', user_last_name: 'Lind' },
  ...{ courses: [{ id: 21, title: 'Baking' }], bundles: [{ id: 5, title: 'All' }], digital_products: [] as unknown[] },
  ...{ billing_city: personal.city, billing_state: '', billing_country: 'FI', billing_street: 'Street 1' },
  ...{ billing_zip: '20100', billing_company: null, billing_phone: null, created_at: time, updated_at: time },
};

const course = {
  ...{ id: 21, title: 'Baking', description: '', slug: 'baking', sold_separately: true, price: '49.00' },
  ...{ is_published: true, is_challenge: false, cover_image_url: '', cover_image_thumbnail_url: '' },
  ...{ stock_photo_image_url: '', lesson_count: 2 },
};

const lesson = { id: 1, title: 'Flour', sequence: 1, is_published: true, lesson_type: 'Text' };

export const structure = {
  course: { id: 21, title: 'Baking', is_challenge: false },
  modules: [{ id: 3, title: 'Start', sequence: 1, is_published: true, lessons: [lesson] }],
  ungrouped_lessons: [{ ...lesson, id: 2 }],
};

export const student = {
  ...{ id: 9, name: personal.name, email: personal.email, created_at: time, location: personal.city },
  ...{ facebook_link: null, twitter_link: null, enrolled: true, admin: false, is_active: true, sign_in_count: 1 },
  ...{ points: 0, completion_percent: 50 },
};

export const details = {
  ...student,
  ...{ paying_student: true, total_completion: 50, lesson_views_count: 2, lesson_completions_count: 1 },
  ...{ paid_orders: [order], enrolled_courses: [{ id: 21, title: 'Baking' }] },
};

const meta = { total_pages: 1, total_orders: 1, current_page: 1, per_page: 20 };

/** Answers by path, written by hand from the API document. */
const documented: Record<string, unknown> = {
  '/api/v1/account': account,
  '/api/v1/orders': { orders: [order], meta },
  '/api/v1/courses': { courses: [{ id: 21, title: 'Baking', sold_separately: true, price: '49.00' }] },
  '/api/v1/courses/21': course,
  '/api/v1/courses/21/lessons': structure,
  '/api/v1/students': { students: [student], meta: { total_pages: 1, total_students: 1 } },
  '/api/v1/students/details': details,
};

export const orders = (changed: Json, beside: Json = { meta }) => ({
  '/api/v1/orders': { orders: [{ ...order, ...changed }], ...beside },
});

/** Sent unchanged, with its own status and headers. */
type Raw = Reply & { raw: string };
const isRaw = (answer: unknown): answer is Raw => typeof answer === 'object' && answer !== null && 'raw' in answer;

/** An API that answers as documented, except for `changes` by path. `headers` are sent with every answer. */
export async function startOdd(changes: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const requests: string[] = [];
  const { url } = await startRecorder(({ method, url: asked, path }) => {
    requests.push(`${method} ${asked}`);
    const answer = changes[path] ?? changes['*'] ?? documented[path];
    const given: Reply = isRaw(answer)
      ? { ...answer, body: answer.raw }
      : { status: answer === undefined ? 404 : 200, body: answer ?? { error: 'not found' } };
    return { ...given, headers: { 'x-api-version': 'v1', ...headers, ...given.headers } };
  });
  return { url, requests };
}
