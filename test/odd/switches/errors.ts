import type { Rules } from '../academy/rules.ts';
import { failure, html, ok, type Reply } from '../academy/rules.ts';
import { answering, isWrite, reads, refusing, type Switch, updates, refusalWords as words, writes } from './switch.ts';

function answers(name: string, says: string, rules: Rules, more: Partial<Switch> = {}): Switch {
  return { name: `answer-${name}`, class: 'answers of writes', kind: 'open', says, probes: writes, rules, ...more };
}

/** Keeps the status of a creation. */
const body = (given: Reply, content: unknown): Reply => ({ ...given, body: content });

export const answerSwitches: readonly Switch[] = [
  answers(
    'empty',
    'every write is done, and answered with an empty body',
    answering((given) => body(given, undefined)),
  ),
  answers(
    'success',
    '{"success":true}',
    answering((given) => body(given, { success: true })),
  ),
  answers(
    'old-record',
    'done with a delay, and answered with 202 and the record as it was',
    { effect: () => 'late', ...answering((given) => ({ ...given, status: 202 })) },
    { probes: updates },
  ),
  answers('queued-empty', 'done with a delay, and answered with an empty 202', {
    effect: () => 'late',
    ...answering(() => ok(undefined, 202)),
  }),
  answers(
    '500-done',
    'every write is done, and answered with 500',
    answering(() => failure(500, 'internal', 'Something went wrong')),
  ),
];

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

function denial(name: string, says: string, body: unknown): Switch {
  const touched = [...writes, 'sync_roster/confirm', 'apply_course_outline'];
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
  denial('error', '200 {"error":…}', { error: words }),
  denial('status', '200 {"status":"error","message":…}', { status: 'error', message: words }),
  denial('message', '200 {"message":"… could not …"} with a record', {
    id: 9,
    email: 'a@example.com',
    message: `The change could not be made: ${words}`,
  }),
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
    probes: [...reads, 'list_courses', 'sync_roster/plan'],
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
  strangeReads('reads-login', 'every read is answered with 200 and a login page', () => html(200, login), nobody),
  strangeReads('reads-redirect', 'every read is answered with 302', () => redirect(302), nobody),
  strangeReads('reads-empty', 'every read is answered with an empty 200', () => ok(undefined), nobody),
  strangeReads(
    'reads-error',
    'every read is answered with 200 and an error',
    () => ok({ error: 'Temporarily disabled' }),
    nobody,
  ),
];

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body,
});

function refusal(name: string, kind: Switch['kind'], says: string, reply: Reply, more: Partial<Switch> = {}): Switch {
  const probes = [
    ...['enroll_student/new', 'revoke_course', 'grant_role', 'create_lesson'],
    ...updates,
    ...['sync_roster/confirm'],
  ];
  const rules: Rules = { before: (call) => (isWrite(call) ? reply : undefined) };
  return { name: `error-${name}`, class: 'errors', kind, says, probes, words, rules, ...more };
}

const cloudflare =
  '<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body>Sorry, you have been blocked</body></html>';
const notAdmin = /not (an? )?admin|admin's key|of an admin|non-admin/i;

const touched = [
  ...['find_buyers', 'list_students', 'community_digest', 'student_profile/buyer', 'get_course_structure'],
  ...['enroll_student/known', 'update_product'],
];

function failing(name: string, says: string, rules: Rules, lies?: RegExp): Switch {
  const common = { name: `error-${name}`, class: 'errors', kind: 'departs', says, probes: touched, rules } as const;
  return lies === undefined ? common : { ...common, lies };
}

const only = (reply: Reply): Rules => ({ before: () => reply });

/** The first three requests of each kind get this. */
function passing(name: string, says: string, reply: (tries: number) => Reply): Switch {
  const rules: Rules = {
    before: ({ route, method }, { log }) => {
      const tries = log.filter((entry) => entry.route === route).length;
      return method === 'GET' && tries === 1 ? reply(tries) : undefined;
    },
  };
  return {
    name: `error-${name}`,
    class: 'errors',
    kind: 'fine',
    says,
    probes: ['list_courses', 'student_profile/buyer', 'get_course_structure', 'list_completed_students'],
    rules,
  };
}

export const errorSwitches: readonly Switch[] = [
  refusal('error-only', 'open', '422 {"error"}', json(422, { error: words })),
  refusal('403', 'open', '403 with a reason', json(403, { error: words, errors: [{ code: 'limit', message: words }] })),
  refusal('400', 'open', '400 with a reason', json(400, { error: words })),
  refusal('cloudflare', 'departs', 'Cloudflare: 403 and a web page, for writes', html(403, cloudflare), {
    words: 'a web page',
    lies: notAdmin,
  }),
  failing('cloudflare-all', 'Cloudflare: 403 and a web page, for everything', only(html(403, cloudflare)), notAdmin),
  failing('503-html', '503 and a web page', only(html(503, '<html><body>Maintenance</body></html>'))),
  failing(
    'cut',
    'every body is cut after 100 bytes',
    { after: (reply) => ({ ...reply, cutAfter: 100 }) },
    /not JSON|check the (base )?(url|address)/i,
  ),
  failing('short', 'every body ends early, but looks complete', {
    after: (reply) => ({ ...reply, raw: JSON.stringify(reply.body).slice(0, -20) }),
  }),
  passing('429-date', 'the first read is refused with 429 and Retry-After as a date', () =>
    json(429, { error: 'Too many requests' }, { 'retry-after': new Date(Date.now() + 1000).toUTCString() }),
  ),
  passing('429-none', 'the first read is refused with 429 without Retry-After', () =>
    json(429, { error: 'Too many requests' }),
  ),
  passing('502', 'the first read is refused with 502 and a web page', () => html(502, '<html></html>')),
];
