import { html, type Reply } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import { isWrite, refusalWords as words } from './helpers.ts';
import { type Switch, updates } from './switch.ts';

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body,
});

/** Refuses every write with this answer. */
function refusal(name: string, kind: Switch['kind'], says: string, reply: Reply, more: Partial<Switch> = {}): Switch {
  const probes = [
    'enroll_student/new',
    'revoke_course',
    'grant_role',
    'create_lesson',
    ...updates,
    'sync_roster/confirm',
  ];
  const rules: Rules = { before: (call) => (isWrite(call) ? reply : undefined) };
  return { name: `error-${name}`, class: 'errors', kind, says, probes, words, rules, ...more };
}

const cloudflare =
  '<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body>Sorry, you have been blocked</body></html>';
const notAdmin = /not (an? )?admin|admin's key|of an admin|non-admin/i;

/** Answers every read with this, and refuses writes with it. */
function failing(name: string, says: string, reply: Reply, lies?: RegExp): Switch {
  const probes = [
    'find_buyers',
    'list_students',
    'community_digest',
    'student_profile/buyer',
    'get_course_structure',
    'enroll_student/known',
    'update_product',
  ];
  const common = {
    name: `error-${name}`,
    class: 'errors',
    kind: 'departs',
    says,
    probes,
    rules: { before: () => reply },
  } as const;
  return lies === undefined ? common : { ...common, lies };
}

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
  failing('cloudflare-all', 'Cloudflare: 403 and a web page, for everything', html(403, cloudflare), notAdmin),
  failing('503-html', '503 and a web page', html(503, '<html><body>Maintenance</body></html>')),
  {
    name: 'error-cut',
    class: 'errors',
    kind: 'departs',
    says: 'every body is cut after 100 bytes',
    probes: [
      'find_buyers',
      'list_students',
      'community_digest',
      'student_profile/buyer',
      'get_course_structure',
      'enroll_student/known',
      'update_product',
    ],
    rules: { after: (reply) => ({ ...reply, cutAfter: 100 }) },
    lies: /not JSON|check the (base )?(url|address)/i,
  },
  {
    name: 'error-short',
    class: 'errors',
    kind: 'departs',
    says: 'every body ends early, but looks complete',
    probes: [
      'find_buyers',
      'list_students',
      'community_digest',
      'student_profile/buyer',
      'get_course_structure',
      'enroll_student/known',
      'update_product',
    ],
    rules: { after: (reply) => ({ ...reply, raw: JSON.stringify(reply.body).slice(0, -20) }) },
  },
  passing('429-date', 'the first read is refused with 429 and Retry-After as a date', () =>
    json(429, { error: 'Too many requests' }, { 'retry-after': new Date(Date.now() + 1000).toUTCString() }),
  ),
  passing('429-none', 'the first read is refused with 429 without Retry-After', () =>
    json(429, { error: 'Too many requests' }),
  ),
  passing('502', 'the first read is refused with 502 and a web page', () => html(502, '<html></html>')),
];
