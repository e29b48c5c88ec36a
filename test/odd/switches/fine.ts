import { cut, type Rules } from '../academy/rules.ts';
import { classOf, everySale, lessonReads, type Switch, writes } from './switch.ts';

/** No switch is on: everything must be right. */
const none: Switch = {
  name: 'none',
  class: 'fine',
  kind: 'fine',
  says: 'the unchanged academy',
  probes: [
    ...everySale,
    ...['list_orders/*', 'get_order', 'list_students', 'list_completed_students', 'get_course_completion'],
    ...['course_progress', 'student_profile', 'diagnose_access', 'community_digest/*', 'search_posts/*'],
    ...['list_courses', 'list_bundles', 'list_digital_products'],
    ...lessonReads,
    ...writes,
    ...['enroll_student', 'sync_roster'],
  ],
  rules: {},
};

const fine = classOf('fine', 'fine', {
  kind: 'fine',
  probes: [
    ...['find_buyers', 'sales_report/days', 'list_orders', 'list_students', 'student_profile'],
    ...['diagnose_access', 'community_digest', 'search_posts', 'get_course_structure'],
    ...['apply_course_outline', 'enroll_student/known', 'update_product', 'create_lesson', 'sync_roster'],
  ],
});

const header = (headers: Record<string, string>): Rules => ({
  after: (reply) => ({ ...reply, headers: { ...reply.headers, ...headers } }),
});
/** Every body that is not empty, changed as a text. */
const written = (change: (text: string) => string): Rules => ({
  after: (reply) => {
    const text = (reply.raw ?? (reply.body === undefined ? '' : JSON.stringify(reply.body))).toString();
    return text === '' ? reply : { ...reply, raw: change(text) };
  },
});
/** Orders without some of their fields. */
const leftOut = (isGone: (key: string, value: unknown) => boolean): Rules => ({
  order: (shown) => Object.fromEntries(Object.entries(shown).filter(([key, value]) => !isGone(key, value))),
});
const unneeded = /billing_(city|state|street|zip|company|phone)|description|name|affiliate|updated/;
const lists = [
  'courses.list',
  'bundles.list',
  'digital.list',
  'channels.list',
  'students.completions',
  'courses.roles',
];

function textIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, key === 'id' ? String(one) : textIds(one)]),
  );
}

export const fineSwitches: readonly Switch[] = [
  none,
  fine(
    'bom',
    'a byte order mark before every body',
    written((text) => `\uFEFF${text}`),
  ),
  fine('latin-headers', 'headers with letters beyond ASCII', {
    ...header({ 'x-request-id': 'r\u00e9q-1', 'x-served-by': 'caf\u00e9' }),
  }),
  fine('closing', 'the connection is closed after each answer', header({ connection: 'close' })),
  fine('no-version', 'no X-API-Version', header({ 'x-api-version': '' })),
  fine('other-version', 'X-API-Version: 2026-01', header({ 'x-api-version': '2026-01' })),
  fine('white-space', 'line breaks before and after each body', { ...written((text) => `\n${text}\n\n`) }),
  fine('text-ids', 'ids as text', { after: (reply) => ({ ...reply, body: textIds(reply.body) }) }),
  fine('more-keys', 'undocumented keys', {
    order: (shown) => ({ ...shown, tags: ['a'], custom: { deep: [1] }, coupon: null }),
    student: (shown) => ({ ...shown, avatar: 'x', groups: [1] }),
    post: (shown) => ({ ...shown, likes: 3, replies: [] }),
  }),
  fine('empty-lists-left-out', 'empty lists of an order are left out', {
    ...leftOut((_key, value) => Array.isArray(value) && value.length === 0),
  }),
  fine('less-keys', 'no names, billing or description', { ...leftOut((key) => unneeded.test(key)) }),
  fine('oldest-first', 'orders oldest first', {
    page: (page, { list, all, page: number, size }) =>
      list === 'orders' ? { ...page, shown: cut([...all].reverse(), number, size) } : page,
  }),
  fine('email-capitals', 'emails of orders in upper case', {
    probes: ['find_buyers', 'sales_report', 'course_progress'],
    order: (shown) => ({ ...shown, user_email: String(shown.user_email).toUpperCase() }),
    ofStudent: (email, wanted) => email.toUpperCase() === wanted.toUpperCase(),
  }),
  fine('busy', 'a new grant appears between any two pages', {
    probes: ['find_buyers', 'sales_report/days', 'course_progress'],
    question: ({ route, query }, { state, now }) => {
      if (route !== 'orders.list' || query.page === undefined || query.page === '1') return;
      const number = state.orders.length + 9_000;
      const at = Math.ceil(now() / 1000) * 1000 + 1000;
      const bought = { courses: [17], bundles: [], digitals: [] };
      const common = { currency: 'USD', status: 'paid', email: 'late@example.com', country: 'US' } as const;
      state.orders.push({ id: `ord_n${number}`, number, at, amount: '0.00', student: 95, ...common, ...bought });
    },
  }),
  fine('bare-lists', 'bare lists if they have no meta', {
    probes: ['list_courses', 'list_bundles', 'list_digital_products', 'list_completed_students', 'community_digest'],
    after: (reply, { route }) =>
      lists.includes(route) ? { ...reply, body: Object.values(Object(reply.body))[0] } : reply,
  }),
];
