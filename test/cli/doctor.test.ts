import { chmod, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventNames } from '../../src/contract/events.ts';
import { runHere } from '../support/command-line.ts';
import { account, details, order, orders, personal, startOdd, structure, student } from '../support/odd-academy.ts';
import { temporaryFile, temporaryFolder } from '../support/sandbox.ts';

const webhookSecret = '7d'.repeat(32);
const webhooks = { ACADEMY_WEBHOOK_SECRET: webhookSecret };

/** Nobody else uses the account of a test. */
const fast = { ACADEMY_RATE_LIMIT: 'off' };

/** Runs `academy-mcp doctor --verbose` with exactly this environment. */
function doctor(url: string, environment: Record<string, string> = {}, ...flags: string[]) {
  return run(url, environment, ['--verbose', ...flags]);
}

function run(url: string, environment: Record<string, string>, flags: string[], command = 'doctor') {
  const academy = { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: 'the-key-of-an-admin' };
  return runHere([command, ...flags], { ...academy, ...fast, ...environment });
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
  expect(stdout).toContain('ok  7 requests sent, nothing changed\n');
});

test('without --verbose only the account, the result and what differs are printed', async () => {
  const { url } = await startOdd();
  const fine = await run(url, {}, []);
  expect(fine.stdout.split('\n')).toEqual([
    'ok  The API answers: Meadow School, plan standard',
    'ok  7 requests sent, nothing changed',
    '',
  ]);
  const odd = await run((await startOdd(orders({ status: 'refunded' }))).url, {}, []);
  expect(odd.stdout).toContain('\n!   Orders: sales answers cannot read: statuses\n');
  expect(odd.stdout).not.toContain('Courses');
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
    /^NO {2}ACADEMY_IMPORT_DIR names no folder, .*\. Create the folder, or correct the path/m,
  ],
  [
    'a missing folder of the audit log, and of the journal,',
    { ACADEMY_AUDIT_LOG: '/no-such-folder/audit.jsonl', ACADEMY_JOURNAL: '/no-such-folder/journal.jsonl' },
    /^NO {2}ACADEMY_AUDIT_LOG cannot be written: .*^NO {2}ACADEMY_JOURNAL cannot be written: /ms,
  ],
  [
    'a journal and a mirror whose path leads through a file',
    { ACADEMY_JOURNAL: `${import.meta.filename}/journal.jsonl`, ACADEMY_MIRROR: `${import.meta.filename}/mirror.db` },
    /^NO {2}ACADEMY_JOURNAL cannot be read: ENOTDIR.*^NO {2}ACADEMY_MIRROR cannot be used: ENOTDIR/ms,
  ],
  [
    'a folder for an events file',
    { ...webhooks, ACADEMY_EVENTS_FILE: tmpdir() },
    /^NO {2}ACADEMY_EVENTS_FILE cannot be written: it must be a regular file/m,
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
  for (const part of ['Orders', 'Courses', 'Students']) expect(stdout).toContain(`-   ${part}: nothing to check\n`);
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
  expect(stderr).toMatch(/^academy-mcp: (the account cannot be used|could not be read: orders)/);
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
    expect(stdout).toContain('ok  The API answers');
    expect(stderr).toBe(`academy-mcp: could not be read: ${part.toLowerCase()}.\n`);
    expect(stdout).not.toContain(personal.email);
  }
});

test('a disabled capability is not requested and is not a failure', async () => {
  const capabilities = { ...account.capabilities, read_orders: false };
  const { url, requests } = await startOdd({ '/api/v1/account': { ...account, capabilities } });
  const { code, stdout } = await doctor(url);
  expect(code).toBe(0);
  expect(stdout).toContain('-   Orders: disabled for this account\n');
  expect(requests.join()).not.toContain('/orders');
});

test('a 403 without a disabled capability fails', async () => {
  const forbidden = { raw: '{"error":"Forbidden"}', status: 403 };
  const { code, stdout } = await doctorOf({ '/api/v1/orders': forbidden });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^NO {2}Orders: could not be read: forbidden: .*403/m);
});

/** A platform that differs in one point, and the expected words. */
const differences: [changes: Record<string, unknown>, says: string][] = [
  [orders({ billing_zip: undefined }), 'Orders: not shown: billing_zip'],
  [orders({ amount: '49,90', currency: '' }), 'Orders: sales answers cannot read: amounts, currencies'],
  [orders({ courses: ['Baking'] }), 'Orders: sales answers cannot read: products'],
  [{ '/api/v1/orders': { orders: [order, 'A2'] } }, 'Orders: not readable: items'],
  [{ '/api/v1/courses': { courses: [{ id: 21, title: 'Baking' }] } }, 'Courses: not shown: sold_separately, price'],
  [{ '/api/v1/courses/21/lessons': { ...structure, modules: 'many' } }, 'Its structure: not readable: modules'],
  [{ '/api/v1/students': { students: [{ ...student, points: 'many' }] } }, 'Students: not readable: points'],
  [{ '/api/v1/students/details': { ...details, paying_student: undefined } }, 'One student: not shown: paying_student'],
];

test.for(differences)('a difference is reported, and is no failure: %s', async ([changes, says]) => {
  const { code, stdout, stderr } = await doctorOf(changes);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`\n!   ${says}\n`);
});

test('a form that the tools read as if it were documented is no difference', async () => {
  const { code, stdout } = await doctorOf(
    orders({ id: 1234, amount: 49.95, created_at: '2026-11-15T10:00:00', status: 'Paid', bundles: [{ bundle_id: 5 }] }),
  );
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/^(!|NO)/m);
});

test('records under data are read', async () => {
  const { code, stdout } = await doctorOf({
    '/api/v1/account': { data: account },
    '/api/v1/students/details': { data: details },
  });
  expect(code).toBe(0);
  expect(stdout).toContain('ok  The API answers: Meadow School');
  expect(stdout).toContain('ok  One student: as documented');
});

test('no student data is printed, however odd the platform is', async () => {
  const odd = { amount: personal.name, currency: personal.email, created_at: personal.city, user_email: personal.name };
  const { stdout } = await doctorOf({
    ...orders({ ...odd, courses: [personal.name], bundles: { [personal.email]: 1 }, id: null }),
    '/api/v1/students/details': {
      ...details,
      email: 'someone@example.com',
      paid_orders: { [personal.name]: 1 },
      [personal.email]: personal.name,
    },
  });
  for (const word of [...Object.values(personal), 'Ina', 'Lind', 'someone', 'Street 1', '20100'])
    expect(stdout).not.toContain(word);
});

test('invisible characters of the platform are not printed', async () => {
  const named = { ...account.account, app_name: 'Mea\u202edow\u0007\n\u001b[2J School' };
  const { stdout } = await doctorOf({ '/api/v1/account': { ...account, account: named } });
  expect(stdout).toContain('ok  The API answers: Meadow [2J School, plan standard\n');
});

test('another version of the API is named', async () => {
  const { code, stdout } = await doctorOf({}, { 'x-api-version': 'v2' });
  expect(code).toBe(0);
  expect(stdout).toContain('\n!   API version: v2, and not v1\n');
});

test('--verbose prints every setting but the secrets', async () => {
  const { url } = await startOdd();
  const { stdout } = await doctor(url, { ACADEMY_TIMEZONE: 'Asia/Kathmandu', ...webhooks });
  expect(stdout).toContain('    ACADEMY_TIMEZONE: "Asia/Kathmandu"\n');
  expect(stdout).not.toContain('API_KEY');
  expect(stdout).not.toContain(webhookSecret);
});

test('doctor adds no line to a writable audit log', async () => {
  const file = await temporaryFile('audit.jsonl');
  const { url } = await startOdd();
  await writeFile(file, '{"a":1}\n', { mode: 0o600 });
  const { code, stdout } = await doctor(url, { ACADEMY_AUDIT_LOG: file });
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/^NO/m);
  expect(await readFile(file, 'utf8')).toBe('{"a":1}\n');
});

test('a missing journal is no problem, and a missing audit log is created without a line, as in the server', async () => {
  const [file, journal] = [await temporaryFile('audit.jsonl'), await temporaryFile('journal.jsonl')];
  const { code } = await doctor((await startOdd()).url, { ACADEMY_AUDIT_LOG: file, ACADEMY_JOURNAL: journal });
  expect(code).toBe(0);
  expect(await readFile(file, 'utf8')).toBe('');
});

test('an audit log that is not writable fails, and the academy is still checked', async () => {
  const directory = temporaryFolder();
  const { url } = await startOdd();
  const target = join(directory, 'open.jsonl');
  await writeFile(target, '', { mode: 0o600 });
  await chmod(target, 0o666);
  for (const file of [directory, join(directory, 'none', 'audit.jsonl'), target]) {
    const { code, stdout, stderr } = await doctor(url, { ACADEMY_AUDIT_LOG: file });
    expect(code, file).toBe(1);
    expect(stdout).toMatch(/^NO {2}ACADEMY_AUDIT_LOG cannot be written: /m);
    expect(stdout).toContain('ok  Orders: as documented');
    expect(stderr).toMatch(/^academy-mcp: ACADEMY_AUDIT_LOG cannot be written: [^\n]+\n$/);
  }
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

test('an address that only this machine can reach is named', async () => {
  const { stdout } = await doctor((await startOdd()).url, webhooks, '--webhook-urls');
  expect(stdout).toContain('The platform cannot reach an address on this machine');
});

test('the help describes the requests, their number and the exit codes', async () => {
  const { code, stdout } = await doctor('http://127.0.0.1:9', {}, '--help');
  expect(code).toBe(0);
  for (const words of ['Sends at most 7 requests', 'changes nothing', 'no student data', 'Exit code: 0'])
    expect(stdout).toContain(words);
});
