import { expect, test } from 'vitest';
import { createConfirmCodes } from '../../../src/mcp/confirmation/confirm-code.ts';
import type { Row } from '../../support/academy.ts';
import { type ClientOptions, connect } from '../../support/connect.ts';
import { codeIn, type Guarded, type Holder, holderIn, startGuarded } from '../../support/guarded.ts';
import { expectRefusal } from '../../support/refusal.ts';

const secret = 'a secret of the tests alone';

async function startPreview(more: Record<string, string> = {}, options: ClientOptions = {}) {
  const guarded = await startGuarded({ ACADEMY_CONFIRM: 'preview', ...more }, options);
  const holder = holderIn(guarded.sandbox);
  const args: Row = { email: holder.email, name: holder.name, course_id: holder.course_id };
  return { ...guarded, holder, args };
}

/** Previews revoke_course. */
async function preview({ call }: Pick<Guarded, 'call'>, args: Row): Promise<string> {
  return codeIn(expectRefusal(await call('revoke_course', args), 'confirmation_required'));
}

async function expectRefused({ call, writes }: Guarded, tool: string, args: Row, why: string): Promise<string> {
  const before = writes().length;
  const text = expectRefusal(await call(tool, args), 'confirmation_required');
  expect(text).toContain(why);
  expect(text).toContain('Outcome: not_applied');
  expect(writes()).toHaveLength(before);
  return codeIn(text);
}

const otherCall = 'the code is for another call, or the facts have changed since it was shown';
const noCode = 'confirm is not a code of this server';

test('of two concurrent calls with one code, one runs', async () => {
  const academy = await startPreview();
  const args = { email: academy.holder.email, role_id: 2 };
  const confirm = codeIn((await academy.call('revoke_role', args)).text);
  const answers = await Promise.all([1, 2].map(() => academy.call('revoke_role', { ...args, confirm })));
  expect(answers.map(({ isError }) => isError).sort()).toEqual([false, true]);
  expect(academy.writes()).toHaveLength(1);
  await expectRefused(academy, 'revoke_role', { ...args, confirm }, 'the code has been used');
});

test('a code is valid only for its own arguments and its own tool', async () => {
  const academy = await startPreview();
  const { args, holder } = academy;
  const confirm = await preview(academy, args);
  const other = holderIn(academy.sandbox, (email) => email !== holder.email);
  const course = Number(args.course_id) === 1 ? 2 : 1;
  await expectRefused(academy, 'revoke_course', { ...args, course_id: course, confirm }, otherCall);
  await expectRefused(academy, 'revoke_course', { ...args, name: 'Somebody else', confirm }, otherCall);
  await expectRefused(academy, 'revoke_course', { ...args, email: other.email, confirm }, otherCall);
  const { name: _name, ...rest } = args;
  await expectRefused(academy, 'reset_course_progress', { ...rest, confirm }, otherCall);
  expect((await academy.call('revoke_course', { ...args, confirm })).structured?.outcome).toBe('applied');
});

test('a code is valid only for the shown facts: if they change, the new ones are shown and nothing is sent', async () => {
  const academy = await startPreview();
  const { args, holder, sandbox } = academy;
  const student = sandbox.academy.students.withEmail(holder.email);
  const confirm = await preview(academy, args);
  sandbox.academy.progress.reset(student?.id ?? 0, holder.course_id);
  const { text } = await academy.call('revoke_course', { ...args, confirm });
  expect(text).toContain(`Completed of course ${holder.course_id} now: 0%.`);
  const next = await expectRefused(academy, 'revoke_course', { ...args, confirm }, otherCall);
  expect((await academy.call('revoke_course', { ...args, confirm: next })).structured?.outcome).toBe('applied');
});

/** The same code in another spelling: decoding base64url ignores padding, and accepts the characters of base64. */
function otherSpellings(code: string): string[] {
  return [`${code}=`, `${code} `, ` ${code}`, `${code.slice(0, 4)}\n${code.slice(4)}`, `${code}.`];
}

test('only the exact code counts: not cut, not padded, not true, not empty', async () => {
  const academy = await startPreview();
  const { args } = academy;
  const code = await preview(academy, args);
  const wrong = [code.slice(0, -1), code.slice(1), '', 'true', 'AAAA', 'A'.repeat(24), ...otherSpellings(code)];
  for (const confirm of wrong) await expectRefused(academy, 'revoke_course', { ...args, confirm }, '.');
  const swapped = code.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  await expectRefused(academy, 'revoke_course', { ...args, confirm: swapped }, otherCall);
  await expectRefused(academy, 'revoke_course', { ...args, confirm: code.slice(0, -1) }, noCode);
  for (const confirm of [true, 1, { code }]) {
    expectRefusal(await academy.call('revoke_course', { ...args, confirm }), 'invalid_input');
  }
  expect(academy.writes()).toEqual([]);
  expect((await academy.call('revoke_course', { ...args, confirm: code })).structured?.outcome).toBe('applied');
});

function connectAgain(settings: Record<string, string>, holder: Holder, key: string) {
  const { email, name, course_id } = holder;
  const again = connect({ ...settings, ACADEMY_CONFIRM_SECRET: key });
  return async (confirm: string) => (await again).call('revoke_course', { email, name, course_id, confirm });
}

test('another process accepts the code only with the same secret', async () => {
  const academy = await startPreview({ ACADEMY_CONFIRM_SECRET: secret });
  const confirm = await preview(academy, academy.args);
  const stranger = connectAgain(academy.settings, academy.holder, 'another secret, as long');
  expect(expectRefusal(await stranger(confirm), 'confirmation_required')).toContain(otherCall);
  const replica = connectAgain(academy.settings, academy.holder, secret);
  expect((await replica(confirm)).structured?.outcome).toBe('applied');
  expect(academy.writes()).toHaveLength(1);
});

test('without a configured secret each process has its own', async () => {
  const academy = await startPreview();
  const confirm = await preview(academy, academy.args);
  const { call } = await connect(academy.settings);
  await expectRefused({ ...academy, call }, 'revoke_course', { ...academy.args, confirm }, otherCall);
});

test('a code is valid for five minutes and not a millisecond longer', async () => {
  let now = Date.UTC(2026, 0, 1);
  const codes = createConfirmCodes(secret, () => now);
  const [first, second] = [codes.issue('a'), codes.issue('b')];
  now += 5 * 60_000;
  expect(await codes.refuse(first, 'a')).toBeUndefined();
  now += 1;
  expect(await codes.refuse(second, 'b')).toBe('the code has expired');
  expect(await codes.refuse(codes.issue('b'), 'b')).toBeUndefined();
});

test('the time in a code cannot be changed', async () => {
  const codes = createConfirmCodes(secret, () => 0);
  const bytes = Buffer.from(codes.issue('a'), 'base64url');
  bytes.writeUIntBE(Date.UTC(2100, 0, 1), 0, 6);
  expect(await codes.refuse(bytes.toString('base64url'), 'a')).toBe(otherCall);
});

test('a code reveals neither tool, nor student, nor secret', () => {
  const codes = createConfirmCodes(secret, () => 0);
  const code = codes.issue(JSON.stringify(['revoke_course', 'ana@example.com']));
  const spelled = Buffer.from(code, 'base64url').toString('latin1');
  for (const word of ['revoke', 'ana', secret]) expect(spelled).not.toContain(word);
});
