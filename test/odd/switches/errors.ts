import { type Call, failure, html, ok, type Reply, type Rules } from '../academy/rules.ts';
import {
  answering,
  classOf,
  isWrite,
  reads,
  refusing,
  type Switch,
  updates,
  refusalWords as words,
  writes,
} from './switch.ts';

const answer = classOf('answer', 'answers of writes', { kind: 'open', probes: writes });
const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body,
});
const internal = () => failure(500, 'internal', 'Something went wrong');

export const answerSwitches: readonly Switch[] = [
  answer('empty', 'every write is done, and answered with an empty body', {
    ...answering((given) => ({ ...given, body: undefined })),
  }),
  answer('success', '{"success":true}', { ...answering((given) => ({ ...given, body: { success: true } })) }),
  answer('old-record', 'done with a delay, and answered with 202 and the record as it was', {
    ...{ probes: updates, effect: () => 'late' },
    ...answering((given) => ({ ...given, status: 202 })),
  }),
  answer('queued-empty', 'done with a delay, and answered with an empty 202', {
    effect: () => 'late',
    ...answering(() => ok(undefined, 202)),
  }),
  answer('500-done', 'every write is done, and answered with 500', answering(internal)),
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

const dropped = classOf('dropped', 'dropped fields', { kind: 'open', probes: updates });
const one = dropping('price', 'points', 'description');
const all = dropping('price', 'points', 'description', 'title', 'name');

export const droppedSwitches: readonly Switch[] = [
  dropped('one', 'one field of an update is dropped; the answer shows the old value', one),
  dropped('all', 'all fields of an update are dropped; the answer shows the old record', all),
  dropped('one-silent', 'one field is dropped, and the answer is empty', {
    ...{ ...one, trusts: true },
    ...answering(() => ok(undefined)),
  }),
  dropped('one-status', 'one field is dropped, and the answer says {"success":true}', {
    ...{ ...one, trusts: true },
    ...answering(() => ok({ success: true })),
  }),
];

const denial = classOf('denial', 'denial', {
  kind: 'open',
  probes: [...writes, 'sync_roster/confirm', 'apply_course_outline'],
  words,
});
const denied = (body: unknown) => refusing(() => ok(body));

export const denialSwitches: readonly Switch[] = [
  denial('success', '200 {"success":false,"message":…}', denied({ success: false, message: words })),
  denial('error', '200 {"error":…}', denied({ error: words })),
  denial('status', '200 {"status":"error","message":…}', denied({ status: 'error', message: words })),
  denial('message', '200 {"message":"… could not …"} with a record', {
    ...denied({ id: 9, email: 'a@example.com', message: `The change could not be made: ${words}` }),
  }),
];

const login = () =>
  html(
    200,
    '<!DOCTYPE html><html><head><title>Sign in</title></head><body><form action="/login"></form></body></html>',
  );
const redirect = () => html(302, '', { location: '/login' });

const strange = classOf('strange', 'not the API', { kind: 'departs', probes: writes });
const strangeReads = (name: string, says: string, reply: () => Reply) =>
  strange(`reads-${name}`, `every read is answered with ${says}`, {
    before: ({ method }) => (method === 'GET' ? reply() : undefined),
    probes: [...reads, 'list_courses', 'sync_roster/plan'],
    lies: /no (such )?student|there is no (student|course|channel|product|order)/i,
  });

export const strangeSwitches: readonly Switch[] = [
  strange('login', 'every write is answered with 200 and a login page', refusing(login)),
  strange('login-done', 'every write is done, and answered with 200 and a web page', answering(login)),
  strange('redirect', 'every write is answered with 302 to a login page', refusing(redirect)),
  strange('redirect-done', 'every write is done, and answered with 302', answering(redirect)),
  strangeReads('login', '200 and a login page', login),
  strangeReads('redirect', '302', redirect),
  strangeReads('empty', 'an empty 200', () => ok(undefined)),
  strangeReads('error', '200 and an error', () => ok({ error: 'Temporarily disabled' })),
];

const error = classOf('error', 'errors', {
  kind: 'departs',
  probes: [
    ...['find_buyers', 'list_students', 'community_digest', 'student_profile/buyer', 'get_course_structure'],
    ...['enroll_student/known', 'update_product'],
  ],
});

/** Every write is refused like this. */
const refusal = (reply: Reply) => ({
  before: (call: Call) => (isWrite(call) ? reply : undefined),
  probes: [
    ...['enroll_student/new', 'revoke_course', 'grant_role', 'create_lesson'],
    ...updates,
    ...['sync_roster/confirm'],
  ],
  ...{ kind: 'open' as const, words },
});

/** The first read of each kind gets this. */
const passing = (name: string, says: string, reply: () => Reply) =>
  error(name, `the first read is refused with ${says}`, {
    before: ({ route, method }, { log }) => {
      const tries = log.filter((entry) => entry.route === route).length;
      return method === 'GET' && tries === 1 ? reply() : undefined;
    },
    kind: 'fine',
    probes: ['list_courses', 'student_profile/buyer', 'get_course_structure', 'list_completed_students'],
  });

const cloudflare = html(
  403,
  '<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body>Sorry, you have been blocked</body></html>',
);
const notAdmin = /not (an? )?admin|admin's key|of an admin|non-admin/i;
const tooMany = { error: 'Too many requests' };

export const errorSwitches: readonly Switch[] = [
  error('error-only', '422 {"error"}', refusal(json(422, { error: words }))),
  error('403', '403 with a reason', {
    ...refusal(json(403, { error: words, errors: [{ code: 'limit', message: words }] })),
  }),
  error('400', '400 with a reason', refusal(json(400, { error: words }))),
  error('cloudflare', 'Cloudflare: 403 and a web page, for writes', {
    ...refusal(cloudflare),
    ...{ kind: 'departs', words: 'a web page', lies: notAdmin },
  }),
  error('cloudflare-all', 'Cloudflare: 403 and a web page, for everything', {
    ...{ before: () => cloudflare, lies: notAdmin },
  }),
  error('503-html', '503 and a web page', { before: () => html(503, '<html><body>Maintenance</body></html>') }),
  error('cut', 'every body is cut after 100 bytes', {
    after: (reply) => ({ ...reply, cutAfter: 100 }),
    lies: /not JSON|check the (base )?(url|address)/i,
  }),
  error('short', 'every body ends early, but looks complete', {
    after: (reply) => ({ ...reply, raw: JSON.stringify(reply.body).slice(0, -20) }),
  }),
  passing('429-date', '429 and Retry-After as a date', () =>
    json(429, tooMany, { 'retry-after': new Date(Date.now() + 1000).toUTCString() }),
  ),
  passing('429-none', '429 without Retry-After', () => json(429, tooMany)),
  passing('502', '502 and a web page', () => html(502, '<html></html>')),
];
