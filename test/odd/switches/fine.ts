import type { Reply, Rules } from '../academy/rules.ts';
import { cut } from '../academy/rules.ts';
import { everySale, lessonReads, type Switch, writes } from './switch.ts';

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

const few = [
  ...['find_buyers', 'sales_report/days', 'list_orders', 'list_students', 'student_profile'],
  ...['diagnose_access', 'community_digest', 'search_posts', 'get_course_structure'],
  ...['apply_course_outline', 'enroll_student/known', 'update_product', 'create_lesson', 'sync_roster'],
];

function fine(name: string, says: string, rules: Rules, probes: readonly string[] = few): Switch {
  return { name: `fine-${name}`, class: 'fine', kind: 'fine', says, probes, rules };
}

const text = ({ raw, body }: Reply) => (raw ?? (body === undefined ? '' : JSON.stringify(body))).toString();
const header = (headers: Record<string, string>): Rules => ({
  after: (reply) => ({ ...reply, headers: { ...reply.headers, ...headers } }),
});

function textIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, key === 'id' ? String(one) : textIds(one)]),
  );
}

export const fineSwitches: readonly Switch[] = [
  none,
  fine('bom', 'a byte order mark before every body', {
    after: (reply) => (text(reply) === '' ? reply : { ...reply, raw: `\uFEFF${text(reply)}` }),
  }),
  fine(
    'latin-headers',
    'headers with letters beyond ASCII',
    header({ 'x-request-id': 'r\u00e9q-1', 'x-served-by': 'caf\u00e9' }),
  ),
  fine('closing', 'the connection is closed after each answer', header({ connection: 'close' })),
  fine('no-version', 'no X-API-Version', header({ 'x-api-version': '' })),
  fine('other-version', 'X-API-Version: 2026-01', header({ 'x-api-version': '2026-01' })),
  fine('white-space', 'line breaks before and after each body', {
    after: (reply) => (text(reply) === '' ? reply : { ...reply, raw: `\n${text(reply)}\n\n` }),
  }),
  fine('text-ids', 'ids as text', { after: (reply) => ({ ...reply, body: textIds(reply.body) }) }),
  fine('more-keys', 'undocumented keys', {
    order: (shown) => ({ ...shown, tags: ['a'], custom: { deep: [1] }, coupon: null }),
    student: (shown) => ({ ...shown, avatar: 'x', groups: [1] }),
    post: (shown) => ({ ...shown, likes: 3, replies: [] }),
  }),
  fine('empty-lists-left-out', 'empty lists of an order are left out', {
    order: (shown) =>
      Object.fromEntries(Object.entries(shown).filter(([, value]) => !Array.isArray(value) || value.length > 0)),
  }),
  fine('less-keys', 'no names, billing or description', {
    order: (shown) =>
      Object.fromEntries(
        Object.entries(shown).filter(
          ([key]) => !/billing_(city|state|street|zip|company|phone)|description|name|affiliate|updated/.test(key),
        ),
      ),
  }),
  fine('oldest-first', 'orders oldest first', {
    page: (page, question) =>
      question.list === 'orders'
        ? { shown: cut([...question.all].reverse(), question.page, question.size), meta: page.meta }
        : page,
  }),
  fine(
    'email-capitals',
    'emails of orders in upper case',
    {
      order: (shown) => ({ ...shown, user_email: String(shown.user_email).toUpperCase() }),
      ofStudent: (email, wanted) => email.toUpperCase() === wanted.toUpperCase(),
    },
    ['find_buyers', 'sales_report', 'course_progress'],
  ),
  fine(
    'busy',
    'a new grant appears between any two pages',
    {
      question: ({ route, query }, { state, now }) => {
        if (route !== 'orders.list' || query.page === undefined || query.page === '1') return;
        const number = state.orders.length + 9_000;
        const at = Math.ceil(now() / 1000) * 1000 + 1000;
        state.orders.push({
          id: `ord_n${number}`,
          number,
          at,
          amount: '0.00',
          currency: 'USD',
          status: 'paid',
          email: 'late@example.com',
          student: 95,
          country: 'US',
          courses: [17],
          bundles: [],
          digitals: [],
        });
      },
    },
    ['find_buyers', 'sales_report/days', 'course_progress'],
  ),
  fine(
    'bare-lists',
    'bare lists if they have no meta',
    {
      after: (reply, { route }) => {
        const isList = [
          ...['courses.list', 'bundles.list', 'digital.list', 'channels.list', 'students.completions'],
          ...['courses.roles'],
        ].includes(route);
        return isList ? { ...reply, body: Object.values(Object(reply.body))[0] } : reply;
      },
    },
    ['list_courses', 'list_bundles', 'list_digital_products', 'list_completed_students', 'community_digest'],
  ),
];
