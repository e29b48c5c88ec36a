import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { assumptions } from '../../src/cli/doctor/assumptions.ts';
import { run as runProgram } from '../../src/cli/program.ts';
import { eventNames } from '../../src/contract/events.ts';
import { catalog } from '../../tools/catalog.ts';
import { tools } from '../../tools/index.ts';
import {
  account,
  details,
  type Json,
  lesson,
  order,
  orders,
  personal,
  startOdd,
  structure,
  student,
} from '../support/odd-academy.ts';

const webhookSecret = '7d'.repeat(32);
const webhooks = { ACADEMY_WEBHOOK_SECRET: webhookSecret };

/** Nobody else uses the account of a test. */
const fast = { ACADEMY_RATE_LIMIT: 'off' };

/** Runs `academy-mcp doctor --verbose` with exactly this environment. */
function doctor(url: string, environment: Record<string, string> = {}, ...flags: string[]) {
  return run(url, environment, ['--verbose', ...flags]);
}

async function run(url: string, environment: Record<string, string>, flags: string[], command = 'doctor') {
  const stdout = new PassThrough();
  const errors: string[] = [];
  const code = await runProgram([command, ...flags], {
    environment: { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: 'the-key-of-an-admin', ...fast, ...environment },
    stdin: new PassThrough(),
    stdout,
    stderr: { write: (line) => void errors.push(line) },
    signal: new AbortController().signal,
    interrupt: () => {},
    isTerminal: false,
    platform: process.platform,
    runtime: process.execPath,
    program: '',
  });
  return { code, stdout: String(stdout.read() ?? ''), stderr: errors.join('') };
}

async function doctorOf(changes: Record<string, unknown>, headers: Record<string, string> = {}) {
  return doctor((await startOdd(changes, headers)).url);
}

const page = '<!doctype html><title>Log in</title>';
const html = { raw: page, headers: { 'content-type': 'text/html' } };

test('a documented academy passes with seven requests, all of them reads', async () => {
  const { url, requests } = await startOdd();
  const { code, stdout, stderr } = await doctor(url);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(requests).toEqual([
    'GET /api/v1/account',
    'GET /api/v1/orders?status=all&page=1&per_page=20',
    'GET /api/v1/courses',
    'GET /api/v1/courses/21',
    'GET /api/v1/courses/21/lessons',
    'GET /api/v1/students?page=1',
    `GET /api/v1/students/details?email=${encodeURIComponent(personal.email)}`,
  ]);
  expect(stdout).not.toMatch(/^(!|NO)/m);
  expect(stdout).toContain(' assumptions hold, 0 do not, ');
  expect(stdout).toContain('ok  7 requests sent, nothing changed\n');
});

test('without --verbose only the account, the result and what differs are printed', async () => {
  const { url } = await startOdd();
  const fine = await run(url, {}, []);
  expect(fine.stdout.split('\n')).toEqual([
    'ok  The API answers: Meadow School, plan standard',
    expect.stringMatching(/^ok {2}\d+ assumptions hold, 0 do not, /),
    'ok  7 requests sent, nothing changed',
    '',
  ]);
  const odd = await run((await startOdd(orders({ status: 'refunded' }))).url, {}, []);
  expect(odd.stdout).toMatch(/^! {3}orders\.status: .*\n {6}found: the status "refunded" .*Impact: /m);
  expect(odd.stdout).not.toContain('orders.amount');
});

/** What the settings name, and no longer is there. */
const dead: [what: string, environment: Record<string, string>, says: RegExp][] = [
  [
    'a Redis that does not answer',
    { ACADEMY_REDIS_URL: 'redis://:secret-word@127.0.0.1:9/0', ACADEMY_REPLICAS: '2' },
    /^NO {2}the Redis of ACADEMY_REDIS_URL at 127\.0\.0\.1:9 cannot be used: .*ECONNREFUSED/m,
  ],
  [
    'a folder of the copy that is missing',
    { ACADEMY_MIRROR: '/no-such-folder/mirror.db' },
    /^NO {2}ACADEMY_MIRROR cannot be used: its folder does not exist; create the folder/m,
  ],
  [
    'an issuer that does not answer',
    { ACADEMY_OAUTH_ISSUER: 'http://127.0.0.1:9', ACADEMY_OAUTH_AUDIENCE: 'https://mcp.example.com/mcp' },
    /^NO {2}the OAuth issuer http:\/\/127\.0\.0\.1:9 cannot be used: /m,
  ],
  [
    'an issuer whose name does not exist',
    { ACADEMY_OAUTH_ISSUER: 'https://login.invalid', ACADEMY_OAUTH_AUDIENCE: 'https://mcp.example.com/mcp' },
    /^NO {2}the OAuth issuer https:\/\/login\.invalid cannot be used: /m,
  ],
  [
    'a folder of exports that is missing',
    { ACADEMY_EXPORT_DIR: '/no-such-folder' },
    /^NO {2}ACADEMY_EXPORT_DIR names no/m,
  ],
  [
    'a folder of class lists that is missing',
    { ACADEMY_IMPORT_DIR: '/no-such-folder' },
    /^NO {2}ACADEMY_IMPORT_DIR names no folder\. Create the folder, or correct the path/m,
  ],
  ['a file for a folder', { ACADEMY_IMPORT_DIR: import.meta.filename }, /^NO {2}ACADEMY_IMPORT_DIR names no folder/m],
];

test.for(dead)('%s is a problem, and the academy is still checked', async ([, environment, says]) => {
  const { url } = await startOdd();
  const { code, stdout, stderr } = await run(url, environment, []);
  expect(code).toBe(1);
  expect(stdout).toMatch(says);
  expect(stdout).toContain('7 requests sent');
  expect(stdout + stderr).not.toContain('secret-word');
});

test('http does not start without the Redis, the folder or the issuer of its settings', async () => {
  const { url } = await startOdd();
  for (const [what, environment] of dead.slice(0, 4)) {
    // Other callers need not suffer from an outage of the issuer.
    if (what === 'an issuer that does not answer') continue;
    const { code, stdout, stderr } = await run(url, environment, ['--port', '0'], 'http');
    expect([what, code, stdout]).toEqual([what, 1, '']);
    expect(stderr).toMatch(/^academy-mcp: .*(ACADEMY_(REDIS_URL|MIRROR)|ACADEMY_OAUTH_ISSUER names a host).*\n$/);
  }
});

test('all tools are counted, with those of the copy, the journal and of events', async () => {
  const { url } = await startOdd();
  const all = catalog.tools.length;
  expect((await doctor(url)).stdout).toContain(`  tools        ${tools.length} of ${all}\n`);
  const { stdout } = await doctor(url, { ACADEMY_MIRROR: 'memory', ACADEMY_JOURNAL: 'memory', ...webhooks });
  expect(stdout).toContain(`  tools        ${all} of ${all}\n`);
});

test('a redirect is named with where it leads, without its query', async () => {
  const headers = { location: 'https://login.example.net/start?token=abc' };
  const { code, stdout } = await doctorOf({ '/api/v1/account': { raw: '', status: 301, headers } });
  expect(code).toBe(1);
  expect(stdout).toContain('the answer was a redirect (301) to "https://login.example.net/start"');
  expect(stdout).not.toContain('abc');
});

test('an empty academy passes with nothing to check', async () => {
  const { url, requests } = await startOdd({
    '/api/v1/orders': { orders: [], meta: { total_pages: 0, total_orders: 0, current_page: 1, per_page: 20 } },
    '/api/v1/courses': { courses: [] },
    '/api/v1/students': { students: [], meta: { total_pages: 0, total_students: 0 } },
  });
  const { code, stdout } = await doctor(url);
  expect(code).toBe(0);
  for (const part of ['Orders', 'Courses', 'One course', 'Its structure', 'Students', 'One student'])
    expect(stdout).toContain(`-   ${part}: nothing to check\n`);
  expect(stdout).not.toMatch(/^(!|NO)/m);
  expect(requests).toHaveLength(4);
});

/** Answers to every path that no academy sends. */
const impostors: Record<string, unknown> = {
  'an empty object': {},
  'an empty list': [],
  null: { raw: 'null' },
  'a text': { raw: '"ok"' },
  'nothing at all': { raw: '' },
  'a web page': html,
  'a web page that calls itself JSON': { raw: page },
  'a login page behind a redirect': { raw: '', status: 302, headers: { location: '/login' } },
  'a success that is an error': { error: 'Your trial has ended' },
  'a success that denies itself': { success: false, message: 'No' },
  'a status of error': { status: 'error', errors: [{ message: 'No' }] },
  'a health check': { status: 'ok', version: '2.1' },
  'an account of another service': { account: { id: 'acct_1', name: 'Shop', currency: 'EUR' } },
  'a named account of another service': { account: { app_name: 'Shop', id: 3 } },
  'an account without fields': { account: {}, capabilities: {}, webhook_events: [] },
};

test.for(Object.entries(impostors))('a server that answers %s to everything fails', async ([, answer]) => {
  const { code, stdout, stderr } = await doctorOf({ '*': answer, '/api/v1/account': answer });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^NO {2}\w+: /m);
  expect(stderr).toBe('academy-mcp: the account cannot be used with these settings.\n');
});

const parts: [path: string, part: string][] = [
  ['/api/v1/orders', 'Orders'],
  ['/api/v1/courses', 'Courses'],
  ['/api/v1/courses/21', 'One course'],
  ['/api/v1/courses/21/lessons', 'Its structure'],
  ['/api/v1/students', 'Students'],
  ['/api/v1/students/details', 'One student'],
];

test.for(parts)('an invalid answer to %s fails, and the other checks still run', async ([path, part]) => {
  for (const answer of [{}, html, { error: `No ${personal.email}` }, { items: [{ sku: 1 }] }]) {
    const { code, stdout, stderr } = await doctorOf({ [path]: answer });
    expect(code, JSON.stringify(answer)).toBe(1);
    expect(stdout).toMatch(new RegExp(`^NO {2}${part}: could not be read: `, 'm'));
    expect(stdout).toContain('ok  account.fields');
    expect(stderr).toBe(`academy-mcp: could not be read: ${part.toLowerCase()}.\n`);
    expect(stdout).not.toContain(personal.email);
  }
});

test('a disabled capability is not requested and is not a failure', async () => {
  const capabilities = { ...account.capabilities, read_orders: false };
  const { url, requests } = await startOdd({ '/api/v1/account': { ...account, capabilities } });
  const { code, stdout } = await doctor(url);
  expect(code).toBe(0);
  expect(stdout).toContain('-   Orders: nothing to check: disabled for this account\n');
  expect(requests.join()).not.toContain('/orders');
});

test('a 403 without a disabled capability fails', async () => {
  const forbidden = { raw: '{"error":"Forbidden"}', status: 403 };
  const { code, stdout } = await doctorOf({ '/api/v1/orders': forbidden });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^NO {2}Orders: could not be read: forbidden: .*403/m);
});

const withDetails = (changed: Json) => ({ '/api/v1/students/details': { ...details, ...changed } });
const withAccount = (changed: Json) => ({
  '/api/v1/account': { ...account, account: { ...account.account, ...changed } },
});
const lessons = (list: unknown) => ({
  '/api/v1/courses/21/lessons': { ...structure, modules: [{ ...structure.modules[0], lessons: list }] },
});

const bare = { courses: undefined, bundles: undefined, digital_products: undefined };

const inner = [{ ...structure.modules[0], modules: structure.modules }];
const nested = { '/api/v1/courses/21/lessons': { ...structure, modules: inner } };

/** A platform that differs in one point, and the expected words. */
const differences: [id: string, changes: Record<string, unknown>, says: string][] = [
  ['orders.total', orders({}, {}), 'found: the orders have no total. Impact: sales questions read until an empty page'],
  ['orders.fields', orders({ billing_zip: undefined }), 'found: missing: billing_zip. Impact:'],
  ['orders.id', orders({ id: '' }), 'id an empty text (1 of 1). Impact:'],
  ['orders.amount', orders({ amount: '49,90' }), 'amount "99,99" (1 of 1). Impact: these amounts cannot be read'],
  ['orders.amount', orders({ amount: '$49.90' }), 'amount "$99.99" (1 of 1). Impact: these amounts cannot be read'],
  ['orders.amount', orders({ amount: null }), 'amount null (1 of 1). Impact:'],
  ['orders.currency', orders({ currency: '' }), 'currency an empty text (1 of 1). Impact:'],
  ['orders.time', orders({ created_at: 1789000000 }), 'time a number such as 9999999999 (1 of 1). Impact:'],
  ['orders.time', orders({ created_at: '15 Nov 10:00' }), 'time "99 aaa 99:99" (1 of 1). Impact:'],
  ['orders.status', orders({ status: 'refunded' }), 'found: the status "refunded" (1 of 1). Impact:'],
  ['orders.email', orders({ user_email: null }), 'found: the email is null (1 of 1). Impact:'],
  ['orders.products', orders({ courses: [21] }), 'courses: an entry is a number such as 99 (1 of 1). Impact:'],
  ['orders.products', orders({ courses: ['Baking'] }), 'courses: an entry is "aaaaaa" (1 of 1). Impact:'],
  [
    'orders.products',
    orders({ ...bare, line_items: [{ id: 900, name: 'Baking' }] }),
    'found: courses: missing (1 of 1). Impact:',
  ],
  ['orders.products', orders({ courses: { 21: 'Baking' } }), 'found: courses: an object (1 of 1). Impact:'],
  [
    'orders.products',
    orders({ courses: [{ id: 900, order_id: 'A1' }] }),
    'courses: an entry is an object (1 of 1). Impact:',
  ],
  ['structure.sequence', lessons([{ ...lesson, sequence: null }]), 'found: a sequence is null. Impact:'],
  ['structure.sequence', lessons([lesson, { ...lesson, id: 7 }]), 'a sequence is repeated in its list. Impact:'],
  ['structure.fields', lessons(null), 'found: lessons of a module is null. Impact:'],
  ['structure.fields', { '/api/v1/courses/21/lessons': { ...structure, modules: null } }, 'modules is null. Impact:'],
  ['structure.fields', nested, 'found: a module contains modules. Impact:'],
  ['structure.once', lessons([{ ...lesson, id: 2 }]), 'lessons listed more than once: 1. Impact:'],
  ['students.total', { '/api/v1/students': { students: [student] } }, 'the students have no total. Impact:'],
  ['students.completion', { '/api/v1/students': { students: [{ ...student, completion_percent: 0.54 }] } }, '9.99 (1'],
  ['details.paid-orders', withDetails({ paid_orders: [{ id: 77 }] }), 'an entry is an object (1 of 1). Impact:'],
  [
    'details.enrolled-courses',
    withDetails({ enrolled_courses: { 21: 'Baking' } }),
    'enrolled_courses is an object. Impact:',
  ],
  ['details.enrolled-courses', withDetails({ enrolled_courses: ['Baking'] }), '"aaaaaa" (1 of 1). Impact:'],
  ['details.enrolled-courses', withDetails({ enrolled_courses: null }), 'enrolled_courses is missing. Impact:'],
  ['details.enrolled-courses', withDetails({ enrolled_courses: 3 }), 'enrolled_courses is a number such as 9. Impact:'],
  ['details.student', withDetails({ email: 'other@example.com' }), 'details show another email, or none. Impact:'],
  ['details.paying', withDetails({ paying_student: undefined }), 'details show no paying_student. Impact:'],
  ['details.fields', withDetails({ points: undefined }), 'found: missing: points. Impact:'],
  ['details.fields', withDetails({ lesson_views_count: undefined }), 'missing: lesson_views_count. Impact:'],
  [
    'students.fields',
    { '/api/v1/students': { students: [{ ...student, points: 'many' }] } },
    'points is "aaaa". Impact:',
  ],
  [
    'students.email',
    { '/api/v1/students': { students: [{ ...student, email: 'none' }] } },
    'the email is not an address',
  ],
  [
    'students.time',
    { '/api/v1/students': { students: [{ ...student, created_at: 1 }] } },
    'a number such as 9 (1 of 1)',
  ],
  [
    'courses.item',
    { '/api/v1/courses': { courses: [{ id: 21, title: 'Baking' }] } },
    'missing: sold_separately, price',
  ],
  ['course.fields', { '/api/v1/courses/21': { course: { id: 21, slug: 7 } } }, 'missing: title, description'],
  ['structure.fields', { '/api/v1/courses/21/lessons': { ...structure, course: null } }, 'the course is missing'],
  ['account.fields', withAccount({ locale: undefined, points_enabled: 'yes' }), 'missing: locale. Impact:'],
  ['account.plan', withAccount({ subscription_plan: undefined }), 'the plan is not shown. Impact:'],
  ['orders.list', { '/api/v1/orders': { orders: [order, 'A2'] } }, 'entries that are not records: 1. Impact:'],
  [
    'courses.list',
    { '/api/v1/courses': { courses: [{ id: 21, title: 'Baking' }, 3] } },
    'that are not records: 1. Impact:',
  ],
  ['students.list', { '/api/v1/students': { students: [student, null] } }, 'that are not records: 1. Impact:'],
  ['courses.id', { '/api/v1/courses': { courses: [{ id: 'a', title: 'Baking' }] } }, 'id "a" (1 of 1). Impact:'],
];

/** Forms that the tools read as if they were the documented ones. */
const readable: Record<string, unknown>[] = [
  { '/api/v1/orders': [order] },
  orders({ billing_zip: null, id: 1234, amount: 49.9, created_at: '2026-11-15T10:00:00', status: 'Paid' }),
  orders({ courses: [{ id: '21' }], bundles: [{ bundle_id: 5, name: 'All' }], digital_products: ['31'] }),
  orders({ courses: undefined }),
  lessons([{ ...lesson, id: 7, sequence: 2 }, lesson]),
  withDetails({ paid_orders: undefined, orders: [order], enrolled_courses: [{ id: 1, course_id: 21 }] }),
  withDetails({ enrolled_courses: undefined, courses: [{ id: 21, title: 'Baking' }], total_completion: '54%' }),
];

test.for(readable)('a form that the tools read is no difference', async (changes) => {
  const { code, stdout } = await doctorOf(changes);
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/^! {3}(?!\w+\.total)\w+\.|^NO/m);
});

test.for(differences)('%s is reported if it does not hold', async ([id, changes, says]) => {
  const { code, stdout, stderr } = await doctorOf(changes);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.split('\n');
  const line = lines.findIndex((text) => text.startsWith(`!   ${id}: `));
  expect(line, stdout).toBeGreaterThan(-1);
  expect(lines.slice(line + 1, line + 3).join('\n')).toContain(says);
});

test('every assumption has a test platform on which it does not hold', () => {
  // The version is in a header and has its own test.
  const shown = new Set([...differences.map(([id]) => id), 'platform.version']);
  expect(shown).toEqual(new Set(Object.keys(assumptions)));
});

test('the document of assumptions has each of them, in the same words', async () => {
  const page = await readFile(new URL('../../docs/internals/api-assumptions.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| `\w+\.[\w-]+` \|/.test(line));
  const shown = rows.map((line) => line.split(' | ').slice(0, 2).join(' | '));
  expect(shown.sort()).toEqual(
    Object.entries(assumptions)
      .map(([id, [statement]]) => `| \`${id}\` | ${statement}`)
      .sort(),
  );
});

test('records under data are read', async () => {
  const { code, stdout } = await doctorOf({
    '/api/v1/account': { data: account },
    '/api/v1/students/details': { data: details },
  });
  expect(code).toBe(0);
  expect(stdout).toContain('ok  The API answers: Meadow School');
  expect(stdout).toContain('ok  details.paid-orders');
});

test('no student data is printed, however odd the platform is', async () => {
  const odd = { amount: personal.name, currency: personal.email, created_at: personal.city, user_email: personal.name };
  const { stdout } = await doctorOf({
    ...orders({ ...odd, courses: [personal.name], bundles: { [personal.email]: 1 }, id: null }),
    ...withDetails({
      email: 'someone@example.com',
      paid_orders: { [personal.name]: 1 },
      [personal.email]: personal.name,
    }),
  });
  for (const word of [...Object.values(personal), 'Ina', 'Lind', 'someone', 'Street 1', '20100'])
    expect(stdout).not.toContain(word);
});

test('invisible characters of the platform are not printed', async () => {
  const named = { ...account.account, app_name: 'Mea\u202edow\u0007\n\u001b[2J School' };
  const { stdout } = await doctorOf({ '/api/v1/account': { ...account, account: named } });
  expect(stdout).toContain('ok  The API answers: Meadow [2J School, plan standard\n');
});

test('the version and the clock of the platform are shown', async () => {
  const ahead = new Date(Date.now() + 3 * 3_600_000).toUTCString();
  const { code, stdout } = await doctorOf({}, { 'x-api-version': 'v2', date: ahead });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}API version {2}v2$/m);
  expect(stdout).toMatch(/^ {2}clock {8}the server is 10(799|800)\.\d s ahead$/m);
  expect(stdout).toContain('      found: the version is v2. Impact: ');
});

test('the current time zone is shown', async () => {
  const { url } = await startOdd();
  expect((await doctor(url)).stdout).toMatch(
    /^ {2}time zone {4}UTC \(default; set ACADEMY_TIMEZONE to change it\), now /m,
  );
  const { stdout } = await doctor(url, { ACADEMY_TIMEZONE: 'Asia/Kathmandu' });
  expect(stdout).toMatch(/^ {2}time zone {4}Asia\/Kathmandu, now \d+ \w+ \d{4}, \d\d:\d\d$/m);
});

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'doctor-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

test('doctor adds no line to a writable audit log', async () => {
  const file = join(await temporaryDirectory(), 'audit.jsonl');
  const { url } = await startOdd();
  await writeFile(file, '{"a":1}\n', { mode: 0o600 });
  const { code, stdout } = await doctor(url, { ACADEMY_AUDIT_LOG: file });
  expect(code).toBe(0);
  expect(stdout).toContain('  audit log    writable\n');
  expect(await readFile(file, 'utf8')).toBe('{"a":1}\n');
});

test('the journal is off, in memory or in a file, and a file that is not writable fails', async () => {
  const folder = await temporaryDirectory();
  const { url } = await startOdd();
  const shown: [place: string, line: string][] = [
    ['off', '  journal      off: changes can only be undone by hand (set ACADEMY_JOURNAL)\n'],
    ['memory', '  journal      in memory: what was changed is forgotten when the server ends\n'],
    [join(folder, 'journal.jsonl'), '  journal      in a file, writable\n'],
    [join(folder, 'none', 'journal.jsonl'), 'NO  ACADEMY_JOURNAL cannot be written: '],
  ];
  for (const [place, line] of shown) {
    const { code, stdout } = await doctor(url, { ACADEMY_JOURNAL: place });
    expect(stdout).toContain(line);
    expect(code).toBe(line.startsWith('NO') ? 1 : 0);
  }
});

test('the files in the folder of class lists are counted', async () => {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, 'class.csv'), 'email\n');
  const { stdout } = await doctor((await startOdd()).url, { ACADEMY_IMPORT_DIR: folder });
  expect(stdout).toContain('  class lists  from a folder with 1 file\n');
});

test('a missing audit log is created without a line, as in the server', async () => {
  const file = join(await temporaryDirectory(), 'audit.jsonl');
  const { code } = await doctor((await startOdd()).url, { ACADEMY_AUDIT_LOG: file });
  expect(code).toBe(0);
  expect(await readFile(file, 'utf8')).toBe('');
});

test('an audit log that is not writable fails, and the academy is still checked', async () => {
  const directory = await temporaryDirectory();
  const { url } = await startOdd();
  const target = join(directory, 'open.jsonl');
  await writeFile(target, '', { mode: 0o600 });
  await chmod(target, 0o666);
  for (const file of [directory, join(directory, 'none', 'audit.jsonl'), target]) {
    const { code, stdout, stderr } = await doctor(url, { ACADEMY_AUDIT_LOG: file });
    expect(code, file).toBe(1);
    expect(stdout).toMatch(/^NO {2}ACADEMY_AUDIT_LOG cannot be written: /m);
    expect(stdout).toContain('ok  orders.amount');
    expect(stderr).toMatch(/^academy-mcp: ACADEMY_AUDIT_LOG cannot be written: [^\n]+\n$/);
  }
});

test('where webhooks arrive is shown without their secret', async () => {
  const { url } = await startOdd();
  const { code, stdout } = await doctor(url, { ...webhooks, ACADEMY_HTTP_ALLOWED_HOSTS: 'mcp.example.com' });
  expect(code).toBe(0);
  expect(stdout).toContain('received by academy-mcp http at https://mcp.example.com; ');
  expect(stdout).toContain('kept in memory');
  expect(stdout).not.toContain(webhookSecret);
});

test('--webhook-urls prints the addresses with their secret and a warning, and sends no request', async () => {
  const { url, requests } = await startOdd();
  const environment = { ...webhooks, ACADEMY_OAUTH_ISSUER: 'https://id.example.com' };
  const audience = { ACADEMY_OAUTH_AUDIENCE: 'https://mcp.example.com/mcp' };
  const { code, stdout } = await doctor(url, { ...environment, ...audience }, '--webhook-urls');
  expect([code, requests]).toEqual([0, []]);
  expect(stdout).toMatch(/^Keep these addresses secret/);
  for (const event of eventNames) {
    expect(stdout).toContain(`https://mcp.example.com/webhooks/default/${event}/${webhookSecret}\n`);
  }
});

test('--webhook-urls without a secret says what to set', async () => {
  const { url } = await startOdd();
  const { code, stderr } = await doctor(url, {}, '--webhook-urls');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^academy-mcp: ACADEMY_WEBHOOK_SECRET is not set\. Set it to 32/);
});

test('an address that only this machine can reach is named, and so is an events file that cannot be written', async () => {
  const { url } = await startOdd();
  const { code, stdout } = await doctor(url, { ...webhooks, ACADEMY_EVENTS_FILE: tmpdir() });
  expect(code).toBe(1);
  expect(stdout).toContain('at http://127.0.0.1:3000; ');
  expect(stdout).toContain('The platform cannot reach an address on this machine');
  expect(stdout).toContain('NO  ACADEMY_EVENTS_FILE cannot be written: it must be a regular file');
});

test('the help describes the requests, their number and the exit codes', async () => {
  const { code, stdout } = await doctor('http://127.0.0.1:9', {}, '--help');
  expect(code).toBe(0);
  for (const words of ['Sends at most 7 requests', 'changes nothing', 'no student data', 'Exit code: 0'])
    expect(stdout).toContain(words);
});
