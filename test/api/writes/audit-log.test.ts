import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { appendFile, chmod, link, mkdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createAuditLog } from '../../../src/api/writes/audit-log.ts';
import { enrollStudent, revokeCourse } from '../../../src/contract/access.ts';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { SettingsError } from '../../../src/shared/errors.ts';
import { createKeyedHash } from '../../../src/shared/keyed-hash.ts';
import { tools } from '../../../tools/index.ts';
import type { Act } from '../../reliability/fault-server.ts';
import { at, type Row } from '../../support/academy.ts';
import { cut } from '../../support/arrange.ts';
import { linesOf, parseLines } from '../../support/audit-lines.ts';
import { openProgram } from '../../support/connect.ts';
import { everyCall } from '../../support/every-call.ts';
import { startGuarded } from '../../support/guarded.ts';
import { callMessage, modernCall, openSession, post, startHttp } from '../../support/http-server.ts';
import { temporaryFile } from '../../support/sandbox.ts';

const secret = 'a secret of the tests alone';
const hash = createKeyedHash(secret, 'student');
/** apply_course_outline writes nothing without the base version of a plan. */
const writing = tools
  .filter(({ name, effect }) => effect !== 'read' && name !== 'apply_course_outline')
  .map(({ name }) => name);
const reading = tools.filter(({ effect }) => effect === 'read').map(({ name }) => name);

async function startAudited(settings: Record<string, string> = {}) {
  const file = await temporaryFile('audit.jsonl');
  const audit = { ACADEMY_AUDIT_LOG: file, ACADEMY_CONFIRM: 'argument', ACADEMY_CONFIRM_SECRET: secret };
  const guarded = await startGuarded({ ...audit, ...settings });
  return { ...guarded, file, lines: () => linesOf(file) };
}

const student = { email: 'Quilla.Canary@example.com', name: 'Quilla Canary' };
const newChannel = { name: 'Canary channel', description: 'Words of the canary' };

/** The arguments of a tool; for this test's student, if the tool takes one. */
function callOf(tool: string): Row {
  const args = everyCall[tool] ?? {};
  return {
    ...args,
    ...('email' in args ? { email: student.email } : {}),
    ...('email' in args && 'name' in args ? { name: student.name } : {}),
  };
}

test('each write that is sent has one entry with its ids, its outcome and the request id of the API', async () => {
  const { call, lines, writes } = await startAudited();
  await call('enroll_student', { ...student, course_id: 1 });
  for (const tool of [...writing, ...reading]) await call(tool, callOf(tool));
  const written = await lines();
  expect(written).toHaveLength(writes().length);
  expect(new Set(written.map(({ tool }) => tool))).toEqual(new Set(writing));
  expect(at(written, 0)).toMatchObject({ tool: 'enroll_student', caller: 'test', operation: 'access.enrollStudent' });
  expect(at(written, 0)).toMatchObject({ ids: { course_id: 1 }, outcome: 'applied' });
  for (const { request_id, attempt } of written) expect([request_id !== '', attempt.length]).toEqual([true, 36]);
  expect(new Set(written.map(({ request_id }) => request_id)).size).toBe(written.length);
});

test('a line is in the file before its write is sent, and a second line adds the outcome', async () => {
  const { call, between, file, lines } = await startAudited();
  let whileItWaits = '';
  const hold: Act = {
    at: 'body',
    act: async ({ answer, work }) => {
      whileItWaits = await readFile(file, 'utf8');
      answer(await work());
    },
  };
  between.arm({ name: 'hold', fault: hold, match: (method) => method === 'POST' });
  await call('create_channel', newChannel);
  const [sent, ended, ...others] = (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(JSON.parse(whileItWaits)).toEqual(sent);
  expect(sent).toMatchObject({ tool: 'create_channel', outcome: 'sent' });
  expect(Object.keys(ended)).toEqual(['time', 'attempt', 'outcome', 'request_id']);
  expect([ended.attempt, ended.outcome, others]).toEqual([sent.attempt, 'applied', []]);
  expect(await lines()).toMatchObject([{ tool: 'create_channel', outcome: 'applied' }]);
});

test('an unknown outcome is recorded as unknown, and each attempt of a write has its own line', async () => {
  const { call, between, lines, sandbox } = await startAudited();
  between.arm({ name: 'cut', fault: cut, match: (method) => method === 'POST' });
  expect((await call('create_channel', newChannel)).text).toContain('Outcome: outcome_unknown');
  between.arm({ name: 'cut', fault: cut, match: (method) => method === 'PATCH' });
  expect((await call('update_channel', { id_or_slug: '1', name: 'Renamed' })).structured?.outcome).toBe('applied');
  expect(sandbox.academy.community.channels.get(1)?.name).toBe('Renamed');
  expect((await lines()).map(({ tool, outcome }) => [tool, outcome])).toEqual([
    ['create_channel', 'outcome_unknown'],
    ['update_channel', 'outcome_unknown'],
    ['update_channel', 'applied'],
  ]);
});

test('a write that was refused or could not be sent is recorded as not applied', async () => {
  const { call, between, lines } = await startAudited({ ACADEMY_TIMEOUT_MS: '300', ACADEMY_MAX_WAIT_MS: '300' });
  await call('revoke_course', { ...student, course_id: 1, confirm: true });
  await between.refuse();
  await call('create_channel', newChannel);
  const written = await lines();
  expect(written.length).toBeGreaterThan(1);
  expect(new Set(written.map(({ outcome }) => outcome))).toEqual(new Set(['not_applied']));
});

test('a call that is cancelled after it was sent finishes, and its line has the outcome', async () => {
  const { client, between, lines } = await startAudited();
  const ending = new AbortController();
  const late: Act = {
    at: 'body',
    act: async ({ answer, work }) => {
      ending.abort();
      await sleep(100);
      answer(await work());
    },
  };
  between.arm({ name: 'late', fault: late, match: (method) => method === 'POST' });
  const call = client.callTool({ name: 'create_channel', arguments: newChannel }, undefined, { signal: ending.signal });
  await expect(call).rejects.toThrow();
  await expect.poll(async () => (await lines())[0]?.outcome, { timeout: 5_000 }).toBe('applied');
  expect(await lines()).toHaveLength(1);
});

test('no line holds a name, an email or a text, even in a wrong argument', async () => {
  const { call, file } = await startAudited();
  await call('enroll_student', { ...student, course_id: 1 });
  for (const tool of writing) await call(tool, callOf(tool));
  await call('create_channel', newChannel);
  await call('update_lesson', { lesson_id: 1, title: 'Canary title', content: 'Canary words', video_url: 'canary' });
  await call('update_channel', { id_or_slug: student.email, name: 'Canary' });
  const text = await readFile(file, 'utf8');
  expect(text.split('\n').length).toBeGreaterThan(writing.length);
  expect(text).not.toMatch(/canary|quilla|example\.com|@/i);
});

const attemptOf = (email: string) => ({
  operation: enrollStudent,
  input: { email, name: 'Ann' },
  tool: 'enroll_student',
  caller: 'test',
});

/** The hashes of students in an audit log with this secret. */
async function hashesOf(key: string, ...emails: string[]): Promise<(string | undefined)[]> {
  const file = await temporaryFile('audit.jsonl');
  const audit = createAuditLog(file, createKeyedHash(key, 'student'));
  for (const email of emails) await (await audit.open(attemptOf(email))).close('applied', 'r1');
  await audit.end();
  return (await linesOf(file)).map(({ student: hash }) => hash);
}

test('a student has one hash per secret, whatever the case of the email', async () => {
  const [ann, again, ben] = await hashesOf(secret, 'ann@example.com', 'ANN@Example.com', 'ben@example.com');
  expect(ann).toBe(again);
  expect(ann).not.toBe(ben);
  expect(await hashesOf(secret, 'ann@example.com')).toEqual([ann]);
  expect(await hashesOf('another secret, as long', 'ann@example.com')).not.toEqual([ann]);
  const plain = createHmac('sha256', secret).update('ann@example.com').digest('hex');
  expect(plain).not.toContain(ann);
});

test('without ACADEMY_CONFIRM_SECRET, only processes with the same API key give a student the same hash', async () => {
  const hashUnder = async (settings: Record<string, string>, sandbox: SandboxOptions = {}) => {
    const file = await temporaryFile('audit.jsonl');
    const { url } = await startHttp({ ACADEMY_AUDIT_LOG: file, ...settings }, { sandbox });
    const body = callMessage(2, 'enroll_student', { ...student, course_id: 1 });
    await post(url, body, await openSession(url));
    return at(await linesOf(file), 0).student;
  };
  const hashes = [await hashUnder({}), await hashUnder({})];
  expect(hashes).toEqual([hashes[0], hashes[0]]);
  expect(hashes[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(await hashUnder({}, { apiKey: 'the-key-of-another-academy' })).not.toBe(hashes[0]);
  expect(await hashUnder({ ACADEMY_CONFIRM_SECRET: secret })).not.toBe(hashes[0]);
});

test('for any request id of the API, the entry stays one short line of JSON', async () => {
  const file = await temporaryFile('audit.jsonl');
  const audit = createAuditLog(file, hash);
  const odd = ['a"b\\c', '\u0000\n\r\u2028é😀', 'x'.repeat(500), '', undefined, '"}'];
  const opening = odd.map(() => audit.open({ ...attemptOf('ann@example.com'), operation: revokeCourse }));
  for (const [index, entry] of (await Promise.all(opening)).entries()) {
    await entry.close('outcome_unknown', odd[index]);
    expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toHaveLength(odd.length + index + 1);
  }
  await audit.end();
  for (const { request_id, outcome } of await linesOf(file)) {
    expect(outcome).toBe('outcome_unknown');
    expect(request_id).toMatch(/^[\x20-\x7e]{0,64}$/);
  }
});

test('the trace of a client is in the lines of its writes and in the log, in both eras', async () => {
  const file = await temporaryFile('audit.jsonl');
  const { url, log } = await startHttp({ ACADEMY_AUDIT_LOG: file });
  const session = await openSession(url);
  const traced = async (name: string, digit: string, isModern: boolean) => {
    const meta = { traceparent: `00-${digit.repeat(32)}-00f067aa0ba902b7-01` };
    if (isModern) {
      const { headers, message } = modernCall('create_channel', { name }, {}, meta);
      return await post(url, message, headers);
    }
    const { params, ...message } = callMessage(2, 'create_channel', { name });
    return await post(url, { ...message, params: { ...params, _meta: meta } }, session);
  };
  await traced('First', 'a', false);
  await traced('Second', 'b', true);
  // An id of zeros is none (W3C Trace Context, 3.2.2.3), and so is any other text.
  await traced('Third', '0', true);
  await traced('Fourth', 'x', false);
  const traces = (await linesOf(file)).flatMap(({ operation, trace_id }) =>
    operation === undefined ? [] : [trace_id],
  );
  expect(traces).toEqual(['a'.repeat(32), 'b'.repeat(32), undefined, undefined]);
  expect(log.filter((line) => line.includes(`"trace_id":"${'a'.repeat(32)}"`)).length).toBeGreaterThan(0);
});

const attemptBy = (tool: string) => ({ operation: enrollStudent, input: { course_id: 7 }, tool, caller: 'test' });

function openLog(file: string) {
  const log = createAuditLog(file, hash);
  onTestFinished(() => log.end());
  return log;
}

test('programs that share a file lose no line, and only its owner can read and write it, even without a umask', async () => {
  const file = await temporaryFile('audit.jsonl');
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const programs = await Promise.all(Array.from({ length: 4 }, () => startGuarded({ ACADEMY_AUDIT_LOG: file })));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const calls = programs.flatMap(({ call }) =>
    Array.from({ length: 10 }, (_, index) => call('enroll_student', { ...student, email: `new${index}@example.com` })),
  );
  await Promise.all(calls);
  const lines = await linesOf(file);
  expect(lines).toHaveLength(calls.length);
  expect(lines.every(({ outcome }) => outcome === 'applied')).toBe(true);
});

test('no line is overwritten, even if another process shortens or extends the file', async () => {
  const file = await temporaryFile('audit.jsonl');
  const log = openLog(file);
  await (await log.open(attemptBy('before'))).close('applied', 'r1');
  await appendFile(file, '{"half of a line');
  const entry = await log.open(attemptBy('after'));
  await appendFile(file, '{"half of another');
  await entry.close('not_applied', undefined);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('{"half'))).toEqual(['{"half of a line', '{"half of another']);
  const whole = parseLines(lines.filter((line) => !line.startsWith('{"half')).join('\n'));
  expect(whole).toMatchObject([{ tool: 'before' }, { tool: 'after', outcome: 'not_applied' }]);
  await truncate(file, 0);
  await (await log.open(attemptBy('anew'))).close('applied', 'r2');
  expect(await linesOf(file)).toMatchObject([{ tool: 'anew', outcome: 'applied' }]);
});

/** The message with which the program refuses to start; it must name the setting. */
function refusalOf(file: string): string {
  try {
    openProgram({ ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_AUDIT_LOG: file });
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    expect(String(error)).toContain('ACADEMY_AUDIT_LOG cannot be written');
    return String(error);
  }
  return 'accepted';
}

test.each([0o620, 0o602, 0o666, 0o660, 0o622, 0o2602])(
  'a file that other users may write to is refused: mode %o',
  async (mode) => {
    const file = await temporaryFile('audit.jsonl');
    await writeFile(file, 'what was there\n');
    await chmod(file, mode);
    await link(file, `${file}.link`);
    for (const path of [file, `${file}.link`]) expect(refusalOf(path)).toContain('other users may change it');
    expect(await readFile(file, 'utf8')).toBe('what was there\n');
  },
);

test('a file that other users may only read is accepted, and so is a hard link', async () => {
  const file = await temporaryFile('audit.jsonl');
  await writeFile(file, '');
  await chmod(file, 0o644);
  await link(file, `${file}.link`);
  expect([refusalOf(file), refusalOf(`${file}.link`)]).toEqual(['accepted', 'accepted']);
});

test('a symbolic link is refused, and its target is not created', async () => {
  const file = await temporaryFile('audit.jsonl');
  await symlink(`${file}.target`, file);
  expect(refusalOf(file)).toContain('is a symbolic link');
  await expect(stat(`${file}.target`)).rejects.toThrow('ENOENT');
  await writeFile(`${file}.target`, '', { mode: 0o600 });
  await symlink(file, `${file}.again`);
  for (const path of [file, `${file}.again`]) expect(refusalOf(path)).toContain('is a symbolic link');
});

test('anything but a regular file is refused at once: a pipe, a device, a folder, a socket', async () => {
  const file = await temporaryFile('audit.jsonl');
  execFileSync('mkfifo', [`${file}.pipe`]);
  await mkdir(`${file}.folder`);
  const server = createServer().listen(`${file}.socket`);
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const devices = ['/dev/null', '/dev/full', '/dev/tty'];
  for (const other of [`${file}.pipe`, `${file}.folder`, `${file}.socket`, ...devices]) {
    expect(refusalOf(other), other).toContain('must be a regular file');
  }
  expect(refusalOf('/dev/stderr')).toContain('is a symbolic link');
});
