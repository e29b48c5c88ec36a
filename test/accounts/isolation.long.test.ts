import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { at, type Row, row, rows } from '../support/academy.ts';
import { connectTo, keyOf, type Name, names, startAccounts, textOf, tokens } from '../support/accounts.ts';
import type { Answered, EraClient } from '../support/eras.ts';
import { webhookSecret } from '../support/events.ts';
import { isLong } from '../support/long-form.ts';
import { markOf, otherThan, startMarkedAccounts } from '../support/marked-accounts.ts';
import { temporaryFile } from '../support/sandbox.ts';

const calls = isLong ? 10_000 : 500;
/** Calls at the same time: identical reads of both accounts are in flight together. */
const workers = 8;

const step = fc.record({
  account: fc.constantFrom(...names),
  /** Whether the caller's token opens both accounts. */
  isJoint: fc.boolean(),
  kind: fc.constantFrom(
    'course',
    'courses',
    'students',
    'student',
    'orders',
    'buyers',
    'search',
    'structure',
    'rename',
    'enroll',
    'completion',
    'event',
    'events',
    'event resource',
    'foreign cursor',
  ),
  number: fc.integer({ min: 1, max: 12 }),
});

type Step = ReturnType<typeof fc.sample<typeof step extends fc.Arbitrary<infer Value> ? Value : never>>[number];

/** Lists with a cursor. The arguments are the same for both accounts, so that only the account differs. */
const paged: readonly [tool: string, args: Row][] = [
  ['list_courses', { limit: 2 }],
  ['find_buyers', { product: '1', product_type: 'course', limit: 1, include_granted: true, period: 'all_time' }],
  ['list_bundles', { limit: 1 }],
  ['list_recent_events', { limit: 1 }],
];

async function open(url: string) {
  const [both, north, south] = await Promise.all(
    [tokens.both, tokens.north, tokens.south].map((token) => connectTo(url, token)),
  );
  if (both === undefined || north === undefined || south === undefined) throw new Error('a client is missing');
  const single = { north, south };
  return (account: Name, isJoint: boolean): { client: EraClient; of: (args: Row) => Row } => ({
    client: isJoint ? both : single[account],
    of: (args: Row) => (isJoint ? { account, ...args } : args),
  });
}

type Caller = ReturnType<Awaited<ReturnType<typeof open>>>;

async function callsOf({ kind, number }: Step, { client, of }: Caller, emails: readonly string[]) {
  const call = (name: string, args: Row) => client.call(name, of(args));
  const email = at(emails, number % emails.length);
  if (kind === 'course') return await call('get_course', { course_id: number });
  if (kind === 'courses') return await nextPage(call, 'list_courses', { limit: number });
  if (kind === 'students') return await call('list_students', { page: (number % 3) + 1 });
  if (kind === 'student') return await call('get_student_details', { email });
  if (kind === 'orders') return await call('list_orders', { page: number, per_page: 3, status: 'all' });
  if (kind === 'buyers') return await nextPage(call, ...at(paged, 1));
  if (kind === 'search') return await call('search_products', { query: 'a', limit: 10 });
  if (kind === 'events') return await nextPage(call, 'list_recent_events', { limit: number });
  if (kind === 'rename') return await call('update_lesson', { lesson_id: 1000 + number, title: `Lesson ${number}` });
  if (kind === 'enroll') return await call('enroll_student', { email, name: 'A', course_id: number });
  const uri = `academy://courses/${number}/structure`;
  if (kind === 'structure') return { content: (await client.read(uri)).contents };
  const events = `academy://events${number % 2 === 0 ? '' : '/new_student'}`;
  if (kind === 'event resource') return { content: (await client.read(events)).contents };
  return await completion(client);
}

async function completion(client: EraClient) {
  const uri = 'academy://products/{product_type}/{id_or_slug}';
  const argument = { name: 'id_or_slug', value: 'a' };
  const found = await client.complete({
    ref: { type: 'ref/resource', uri },
    argument,
    context: { arguments: { product_type: 'course' } },
  });
  return { content: [{ text: JSON.stringify(found) }] };
}

type Call = (name: string, args: Row) => Promise<Answered>;

/** The first page and, if there is one, the second: it comes from what was kept. */
async function nextPage(call: Call, name: string, args: Row): Promise<Answered> {
  const first = await call(name, args);
  const cursor = first.structuredContent?.next_cursor;
  if (cursor === undefined) return first;
  const second = await call(name, { ...args, cursor });
  expect(second.isError, textOf(second)).toBeFalsy();
  return { content: [...first.content, ...second.content], structuredContent: { first, second } };
}

/** Sends a cursor of the other account: it must be refused. */
async function foreignCursor({ account, number }: Step, caller: Caller, other: Caller): Promise<Answered> {
  const [name, args] = at(paged, number % paged.length);
  const { structuredContent } = await other.client.call(name, other.of(args));
  const cursor = (number % 2 === 0 ? structuredContent?.new_cursor : undefined) ?? structuredContent?.next_cursor;
  expect(cursor, `${name} of ${otherThan(account)}`).toBeTypeOf('string');
  const answer = await caller.client.call(name, caller.of({ ...args, cursor }));
  expect(textOf(answer)).toMatch(/^invalid_input: cursor belongs to another tool or other arguments/);
  return answer;
}

type Post = Awaited<ReturnType<typeof startMarkedAccounts>>['postTo'];

/** An event of a student who exists, or of an order that does not. Every claim has the mark of its account. */
async function postEvent(post: Post, { account, number }: Step, index: number, emails: readonly string[]) {
  const name = `${markOf(account)}guest ${index}`;
  const isReal = number % 2 === 0;
  const order = { id: `${markOf(account)}order-${index}`, user_email: `${name.replace(' ', '')}@example.net` };
  const body = isReal ? { name, email: at(emails, number % emails.length) } : order;
  const { status } = await post(account, isReal ? 'new_student' : 'new_order', body);
  expect(status).toBe(202);
  return { content: [] };
}

/** Hears the updates of the events of the accounts that a token opens. */
async function watchEvents(url: string, token: string, isModern: boolean, uris: readonly string[]) {
  const client = await connectTo(url, token, { isModern });
  const heard = new Set<string>();
  for (const uri of uris) await client.watch(uri, (updated) => void heard.add(updated));
  return { uris, heard };
}

/** Resolves once no event waits for its check: until then requests are sent that are not counted yet. */
async function untilChecked(origin: string): Promise<string> {
  const metrics = async () => await (await fetch(`${origin}/metrics`)).text();
  const waiting = (text: string) => [...text.matchAll(/^academy_mcp_events_unchecked\{.*\} (\d+)$/gm)];
  await expect
    .poll(async () => waiting(await metrics()).map(([, count]) => count), { timeout: 60_000 })
    .toEqual(['0', '0']);
  return await metrics();
}

interface AuditLine extends Row {
  account: Name;
}

async function auditLines(file: string): Promise<AuditLine[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditLine);
}

test(`${calls} mixed calls show and send nothing of one account to the other`, { timeout: 1_200_000 }, async () => {
  const audit = await temporaryFile('audit.jsonl');
  const events = await temporaryFile('events.jsonl');
  const files = { ACADEMY_AUDIT_LOG: audit, ACADEMY_EVENTS_FILE: events };
  const settings = { ...files, ACADEMY_WEBHOOK_SECRET: webhookSecret, LOG_LEVEL: 'debug' };
  const { url, origin, proxies, log, postTo } = await startMarkedAccounts({ settings });
  const callerOf = await open(url);
  const emailsOf = async (name: Name) => {
    const { structuredContent } = await callerOf(name, false).client.call('list_students', {});
    return rows(structuredContent?.students).map(({ email }) => String(email));
  };
  const emails = { north: await emailsOf('north'), south: await emailsOf('south') };
  const own = ['academy://events', 'academy://events/new_student'];
  const watchers = await Promise.all(
    [false, true].flatMap((isModern) => names.map((name) => watchEvents(url, tokens[name], isModern, own))),
  );
  for (const [index, name] of [...names, ...names, ...names].entries()) {
    await postEvent(postTo, { account: name, kind: 'event', isJoint: false, number: 2 }, -index - 1, emails[name]);
  }
  const steps = fc.sample(step, { numRuns: calls, seed: 17 });
  const shown = { north: 0, south: 0 };
  let next = 0;

  async function work(): Promise<void> {
    for (let one = steps[next++]; one !== undefined; one = steps[next++]) {
      const index = next;
      const { account, kind } = one;
      // Resources and completions need a token of one account.
      const isJoint = one.isJoint && !['structure', 'event resource', 'completion'].includes(kind);
      const caller = callerOf(account, isJoint);
      const other = callerOf(otherThan(account), !isJoint);
      const ways: Partial<Record<Step['kind'], () => Promise<Answered>>> = {
        event: () => postEvent(postTo, one, index, emails[account]),
        'foreign cursor': () => foreignCursor(one, caller, other),
      };
      const answer = await (ways[kind]?.() ?? callsOf(one, caller, emails[account]));
      const said = JSON.stringify(answer);
      expect(said, JSON.stringify(one)).not.toContain(markOf(otherThan(account)));
      if (said.includes(markOf(account))) shown[account] += 1;
    }
  }

  await Promise.all(Array.from({ length: workers }, work));
  const metrics = await untilChecked(origin);
  for (const { uris, heard } of watchers) await expect.poll(() => [...heard].sort()).toEqual([...uris]);
  const lines = await auditLines(audit);
  const hashes: Record<Name, Set<unknown>> = { north: new Set(), south: new Set() };
  for (const name of names) {
    const { requests } = proxies[name];
    expect(shown[name]).toBeGreaterThan(calls / 4);
    expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${keyOf(name)}`]));
    const foreign = requests.filter((request) => (request.url + request.raw).includes(markOf(otherThan(name))));
    expect(foreign).toEqual([]);
    const counted = metrics.matchAll(
      new RegExp(`^academy_mcp_api_requests_total\\{account="${name}".*\\} (\\d+)$`, 'gm'),
    );
    expect([...counted].reduce((sum, [, count]) => sum + Number(count), 0)).toBe(requests.length);
    const own = lines.filter(({ account }) => account === name);
    const writes = requests.filter(({ method }) => method !== 'GET');
    expect(own.filter(({ outcome }) => outcome === 'sent').length).toBe(writes.length);
    const ids = own.flatMap(({ request_id }) => request_id ?? []);
    expect(new Set(ids)).toEqual(new Set(writes.map(({ requestId }) => requestId)));
    for (const { student } of own) if (student !== undefined) hashes[name].add(student);
    expect(hashes[name].size).toBeGreaterThan(0);
  }
  expect(lines.every(({ account }) => names.includes(account))).toBe(true);
  for (const name of names) {
    const stored = await readFile(events.replace('.jsonl', `.${name}.jsonl`), 'utf8');
    expect(stored.split('\n').length).toBeGreaterThan(calls / 50);
    expect(stored).not.toContain(markOf(otherThan(name)));
  }
  expect([...hashes.north].filter((hash) => hashes.south.has(hash))).toEqual([]);
  const requestLines = log.filter((line) => line.includes('"operation"'));
  expect(requestLines.length).toBeGreaterThan(calls / 4);
  for (const line of requestLines) expect(names).toContain(row(JSON.parse(line)).account);
});

test('the answer of one account never shows the key of the other', async () => {
  const { url } = await startMarkedAccounts();
  const client = await connectTo(url, tokens.both);
  const title = `The key is ${keyOf('south')}`;
  await client.call('update_lesson', { account: 'north', lesson_id: 1001, title });
  const answer = await client.call('get_course_structure', { account: 'north', course_id: 1 });
  expect(JSON.stringify(answer)).toContain('The key is [hidden]');
  expect(JSON.stringify(answer)).not.toContain(keyOf('south'));
});

test('a code that shows the facts of one account confirms nothing at the other', async () => {
  const settings = { ACADEMY_CONFIRM: 'preview', ACADEMY_CONFIRM_SECRET: 'one-secret-for-both-accounts' };
  const { url } = await startAccountsWithAna(settings);
  const client = await connectTo(url, tokens.both);
  const call = (account: Name, more = {}) =>
    client.call('unenroll_student', { account, email: 'ana@example.com', name: 'Ana', ...more });
  const code = /confirm: "([\w-]+)"/.exec(textOf(await call('north')))?.[1];
  expect(code).toBeTypeOf('string');
  const refused = textOf(await call('south', { confirm: code }));
  expect(refused).toContain('the code is for another call, or the facts have changed since it was shown');
  expect(refused).toContain('Account: south');
  expect((await call('north', { confirm: code })).isError).toBeFalsy();
  expect(textOf(await call('north', { confirm: code }))).toContain('confirmation_required');
});

/** Both accounts with a student of the same email and name. */
async function startAccountsWithAna(settings: Record<string, string>) {
  const server = await startAccounts({ settings });
  for (const name of names) {
    const client = await connectTo(server.url, tokens[name]);
    const answer = await client.call('enroll_student', { email: 'ana@example.com', name: 'Ana', course_id: 1 });
    expect(answer.isError, textOf(answer)).toBeFalsy();
  }
  return server;
}

test('a write of unknown outcome at one account does not stop the identical one at the other', async () => {
  const { url, proxies } = await startMarkedAccounts({ settings: { ACADEMY_TIMEOUT_MS: '2000' } });
  const client = await connectTo(url, tokens.both);
  const create = (account: Name) => client.call('create_lesson', { account, course_id: 1, title: 'New', content: 'x' });
  const writesTo = (name: Name) => proxies[name].requests.filter(({ method }) => method === 'POST').length;
  proxies.north.loseWrite();
  expect(textOf(await create('north'))).toMatch(/^outcome_unknown/);
  expect((await create('north')).isError).toBe(true);
  expect(writesTo('north')).toBe(1);
  expect((await create('south')).isError, 'south').toBeFalsy();
  expect(writesTo('south')).toBe(1);
});

test('each account has a limit of its own', async () => {
  const fields = { north: { rate_limit: 10, rate_share: 1 }, south: { rate_limit: 20, rate_share: 0.5 } };
  const { url } = await startMarkedAccounts({ fields });
  const client = await connectTo(url, tokens.both);
  const budgetAfter = async (account: Name) => {
    const answer = await client.call('get_account', { account });
    return row(row({ ...answer })._meta)['academy/budget'];
  };
  for (let sent = 1; sent <= 5; sent += 1) {
    expect(await budgetAfter('north')).toMatchObject({ limit: 10, remaining: 10 - sent });
  }
  expect(await budgetAfter('south')).toMatchObject({ limit: 10, remaining: 9 });
});
