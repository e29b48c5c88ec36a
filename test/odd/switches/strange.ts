import { html, ok, type Reply } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import { answering, refusing } from './helpers.ts';
import { reads, type Switch, writes } from './switch.ts';

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
