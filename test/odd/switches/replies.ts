import { type Call, failure, html, ok, type Reply } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import { access, reads, type Switch, updates, writes } from './switch.ts';

const isWrite = ({ method, route }: Call) => method !== 'GET' && route !== 'courses.completion';
const isAdded = ['lessons.create', 'channels.create', 'student.enroll'];

/** Answers every write with this, and does nothing. */
function refusing(reply: () => Reply): Rules {
  return { before: (call) => (isWrite(call) ? reply() : undefined) };
}

/** Does every write, and answers with this. */
function answering(reply: (given: Reply, call: Call) => Reply): Rules {
  return { after: (given, call) => (isWrite(call) && given.status < 300 ? reply(given, call) : given) };
}

const words = 'Seat limit reached';

function denial(name: string, says: string, body: unknown): Switch {
  const touched = [...writes, 'bulk_enroll_students/confirm'];
  return {
    name: `denial-${name}`,
    class: 'denial',
    kind: 'open',
    says,
    probes: touched,
    words,
    rules: refusing(() => ok(body)),
  };
}

export const denialSwitches: readonly Switch[] = [
  denial('success', '200 {"success":false,"message":…}', { success: false, message: words }),
  denial('success-text', '200 {"success":"false","message":…}', { success: 'false', message: words }),
  denial('error', '200 {"error":…}', { error: words }),
  denial('errors', '200 {"errors":[{"code","message"}]}', { errors: [{ code: 'limit', message: words }] }),
  denial('errors-texts', '200 {"errors":["…"]}', { errors: [words] }),
  denial('errors-fields', '200 {"errors":{"email":["…"]}}', { errors: { email: [words] } }),
  denial('status', '200 {"status":"error","message":…}', { status: 'error', message: words }),
  denial('status-failed', '200 {"status":"failed","reason":…}', { status: 'failed', reason: words }),
  denial('ok', '200 {"ok":false,"error":…}', { ok: false, error: words }),
  denial('nested', '200 {"data":null,"error":{"message":…}}', { data: null, error: { message: words } }),
  denial('result', '200 {"result":{"success":false,"message":…}}', { result: { success: false, message: words } }),
];

const login =
  '<!DOCTYPE html><html><head><title>Sign in</title></head><body><form action="/login"></form></body></html>';

function strange(name: string, says: string, rules: Rules): Switch {
  return { name: `strange-${name}`, class: 'not the API', kind: 'departs', says, probes: writes, rules };
}

function strangeReads(name: string, says: string, reply: () => Reply, lies?: RegExp): Switch {
  const rules: Rules = { before: ({ method }) => (method === 'GET' ? reply() : undefined) };
  const common = { name: `strange-${name}`, class: 'not the API', kind: 'departs', says, rules } as const;
  return {
    ...common,
    probes: [...reads, 'list_courses', 'bulk_enroll_students/plan'],
    ...(lies === undefined ? {} : { lies }),
  };
}

const redirect = (status: number) => html(status, '', { location: '/login' });
const nobody = /no (such )?student|there is no (student|course|channel|product|order)/i;

export const strangeSwitches: readonly Switch[] = [
  strange(
    'login',
    'every write is answered with 200 and a login page',
    refusing(() => html(200, login)),
  ),
  strange(
    'login-done',
    'every write is done, and answered with 200 and a web page',
    answering(() => html(200, login)),
  ),
  strange(
    'redirect',
    'every write is answered with 302 to a login page',
    refusing(() => redirect(302)),
  ),
  strange(
    'redirect-done',
    'every write is done, and answered with 302',
    answering(() => redirect(302)),
  ),
  strange(
    'redirect-307',
    'every write is answered with 307',
    refusing(() => redirect(307)),
  ),
  strange(
    'plain',
    'every write is answered with 200 and plain text',
    refusing(() => ({ ...html(200, 'Welcome'), headers: { 'content-type': 'text/plain' } })),
  ),
  strange(
    'html-as-json',
    'every write is answered with a web page that is called JSON',
    refusing(() => ({ ...html(200, login), headers: {} })),
  ),
  strangeReads('reads-login', 'every read is answered with 200 and a login page', () => html(200, login), nobody),
  strangeReads('reads-redirect', 'every read is answered with 302', () => redirect(302), nobody),
  strangeReads('reads-empty', 'every read is answered with 200 and nothing', () => ok(undefined), nobody),
  strangeReads('reads-null', 'every read is answered with 200 and null', () => ok(null), nobody),
  strangeReads(
    'reads-error',
    'every read is answered with 200 and an error',
    () => ok({ error: 'Temporarily disabled' }),
    nobody,
  ),
  strangeReads('reads-object', 'every read is answered with 200 and {}', () => ok({}), nobody),
];

/** Takes fields out of what an update holds. */
function dropping(...fields: string[]): Rules {
  return {
    question: ({ body }) => {
      const inner = Object.values(body).filter((value) => typeof value === 'object' && value !== null);
      for (const target of [body, ...inner])
        for (const field of fields) Reflect.deleteProperty(target as object, field);
    },
  };
}

function dropped(name: string, says: string, rules: Rules, trusts = false): Switch {
  return { name: `dropped-${name}`, class: 'dropped fields', kind: 'open', says, probes: updates, rules, trusts };
}

const second = ['price', 'points', 'description'];
const all = [...second, 'title', 'name'];

export const droppedSwitches: readonly Switch[] = [
  dropped('one', 'one field of an update is dropped; the answer shows the old value', dropping(...second)),
  dropped('all', 'all fields of an update are dropped; the answer shows the old record', dropping(...all)),
  dropped(
    'one-silent',
    'one field is dropped, and the answer is empty',
    { ...dropping(...second), ...answering(() => ok(undefined)) },
    true,
  ),
  dropped(
    'one-status',
    'one field is dropped, and the answer says {"success":true}',
    { ...dropping(...second), ...answering(() => ok({ success: true })) },
    true,
  ),
];

function answers(name: string, says: string, rules: Rules, more: Partial<Switch> = {}): Switch {
  return { name: `answer-${name}`, class: 'answers of writes', kind: 'open', says, probes: writes, rules, ...more };
}

/** The status of a creation stays. */
const body = (given: Reply, content: unknown): Reply => ({ ...given, body: content });
const key = (given: Reply) => Object.keys(Object(given.body))[0] ?? 'record';

export const answerSwitches: readonly Switch[] = [
  answers(
    'empty',
    'every write is done, and answered with an empty body',
    answering((given) => body(given, undefined)),
  ),
  answers(
    '204',
    'every write is done, and answered with 204',
    answering(() => ok(undefined, 204)),
  ),
  answers(
    'true',
    'true',
    answering((given) => body(given, true)),
  ),
  answers(
    'ok',
    '"ok"',
    answering((given) => body(given, 'ok')),
  ),
  answers(
    'null',
    'null',
    answering((given) => body(given, null)),
  ),
  answers(
    'list',
    '[]',
    answering((given) => body(given, [])),
  ),
  answers(
    'object',
    '{}',
    answering((given) => body(given, {})),
  ),
  answers(
    'success',
    '{"success":true}',
    answering((given) => body(given, { success: true })),
  ),
  answers(
    'errors-empty',
    '{"success":true,"errors":[],"error":null}',
    answering((given) => body(given, { success: true, errors: [], error: null })),
  ),
  answers(
    'status-ok',
    '{"status":"ok"}',
    answering((given) => body(given, { status: 'ok' })),
  ),
  answers(
    'id-only',
    'the record without its fields',
    answering((given) => body(given, { [key(given)]: { id: Object(Object(given.body)[key(given)]).id } })),
    { probes: updates },
  ),
  answers(
    'unrelated',
    'the record of another',
    answering((given) =>
      body(given, {
        [key(given)]: {
          id: 1,
          title: 'Other',
          name: 'Other',
          price: '1.00',
          points: 1,
          description: 'Other',
          attributes: { title: 'Other', price: '1.00' },
        },
      }),
    ),
    { probes: updates, kind: 'departs' },
  ),
  answers(
    'old-record',
    'done with a delay, and answered with 202 and the record as it was',
    { effect: () => 'late', ...answering((given) => ({ ...given, status: 202 })) },
    { probes: updates },
  ),
  answers('queued', 'done with a delay, and answered with 202 {"status":"queued"}', {
    effect: () => 'late',
    ...answering(() => ok({ status: 'queued' }, 202)),
  }),
  answers('queued-empty', 'done with a delay, and answered with 202 and nothing', {
    effect: () => 'late',
    ...answering(() => ok(undefined, 202)),
  }),
  answers(
    '500-done',
    'every write is done, and answered with 500',
    answering(() => failure(500, 'internal', 'Something went wrong')),
  ),
  answers(
    'created-only',
    'creations are done, and answered with 201 and no id',
    answering((given, { route }) => (isAdded.includes(route) ? body(given, { message: 'Created' }) : given)),
  ),
];

function effects(
  name: string,
  says: string,
  rules: Rules,
  probes: readonly string[],
  more: Partial<Switch> = {},
): Switch {
  return { name: `effect-${name}`, class: 'effects', kind: 'departs', says, probes, rules, ...more };
}

const on = (routes: readonly string[], mode: 'dropped' | 'late'): Rules => ({
  effect: ({ route }) => (routes.includes(route) ? mode : 'done'),
});

/** Changes what the newest orders that an enrollment made are like. */
function granting(change: (order: { amount: string; status: string }) => void): Rules {
  return {
    after: (given, { route }, { state }) => {
      if (route === 'student.enroll') for (const order of state.orders) if (order.id.startsWith('ord_g')) change(order);
      return given;
    },
  };
}

const enrollments = [
  'enroll_student/new',
  'enroll_student/known',
  'enroll_student/bundle',
  'enroll_student/twice',
  'bulk_enroll_students/confirm',
];

export const effectSwitches: readonly Switch[] = [
  effects(
    'nothing',
    'every access write is answered as done, and is not',
    on(
      [
        'student.enroll',
        'student.unenroll',
        'student.revoke-course',
        'student.revoke-bundle',
        'student.grant-role',
        'student.revoke-role',
        'student.reset-course',
        'student.reset-bundle',
      ],
      'dropped',
    ),
    [...access, 'bulk_enroll_students/confirm'],
    { trusts: true },
  ),
  effects('enroll-late', 'an enrollment makes its order later', on(['student.enroll'], 'late'), [
    ...enrollments.slice(0, 3),
    'bulk_enroll_students/confirm',
  ]),
  effects(
    'grant-pending',
    'an enrollment makes an order that is pending',
    granting((order) => {
      order.status = 'pending';
    }),
    enrollments.filter((name) => name !== 'enroll_student/twice'),
  ),
  {
    ...effects('grant-null', 'an enrollment makes an order without an amount', {}, enrollments),
    rules: { order: (shown, { id }) => (id.startsWith('ord_g') ? { ...shown, amount: null } : shown) },
  },
  {
    ...effects('grant-unseen', 'an enrollment makes an order that no list shows', {}, enrollments),
    rules: {
      after: (given) => given,
      page: ({ shown, meta }) => ({ shown: shown.filter(({ id }) => !String(id).startsWith('ord_g')), meta }),
    },
  },
];
