import { chmod, link, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import type { NewOrder } from '../../../src/sandbox/state/orders.ts';
import { addOrder, cut, daysAgo, newcomer, refusing } from '../../support/arrange.ts';
import { atEnd } from '../../support/at-end.ts';
import { linesOf } from '../../support/audit-lines.ts';
import { type Guarded, startGuarded } from '../../support/guarded.ts';
import { temporaryFile } from '../../support/sandbox.ts';
import { type Attack, firstOf, unless } from './attack.ts';

const upper = 'Write to INFO@Example.com';
const lower = 'Write to info@example.com';
const product = { product_type: 'course', id_or_slug: '1' };

const texts: readonly [tool: string, args: (text: string) => Record<string, unknown>][] = [
  ['update_lesson', (content) => ({ lesson_id: 1, content })],
  ['update_lesson', (title) => ({ lesson_id: 1, title })],
  ['update_lesson', (learning_objective) => ({ lesson_id: 1, learning_objective })],
  ['update_product', (description) => ({ ...product, description })],
  ['update_product', (join_button_text) => ({ ...product, join_button_text })],
  ['update_channel', (description) => ({ id_or_slug: '1', description })],
  ['create_channel', (name) => ({ name })],
];

/** Sends both concurrently: identical writes are sent once. */
export const sameAttacks: readonly Attack[] = texts.map(([tool, args]) => ({
  words: `${tool} twice, with a ${Object.keys(args('')).at(-1)} in other letter case around an @`,
  attempt: async () => {
    const { call, writes } = await startGuarded();
    const answers = await Promise.all([upper, lower].map((text) => call(tool, args(text))));
    const { length } = writes();
    return unless(length === 2, `${length} writes sent; ${answers.map(({ text }) => text).join(' / ')}`);
  },
}));

/** Makes what the audit log is, at the first path; the second one is beside it. */
const files: readonly [words: string, make: (file: string, beside: string) => Promise<unknown>][] = [
  ['a dangling link', (file, beside) => symlink(beside, file)],
  [
    'a link to a link to a good file',
    async (file, beside) => {
      await writeFile(`${beside}-good`, '', { mode: 0o600 });
      await symlink(`${beside}-good`, beside);
      await symlink(beside, file);
    },
  ],
  [
    'a hard link to a group-writable file',
    async (file, beside) => {
      await writeFile(beside, '');
      await chmod(beside, 0o660);
      await link(beside, file);
    },
  ],
  [
    'a setgid file that others may write to',
    async (file) => {
      await writeFile(file, '');
      await chmod(file, 0o2602);
    },
  ],
  ['a folder', (file) => mkdir(file)],
  ['a device', async () => {}],
];

const fileAttacks: readonly Attack[] = files.map(([words, make]) => ({
  words: `an audit log that is ${words}`,
  attempt: async () => {
    const file = words === 'a device' ? '/dev/null' : await temporaryFile('log');
    await make(file, `${file}-beside`);
    return await startGuarded({ ACADEMY_AUDIT_LOG: file }).then(
      () => 'the file was opened',
      (error: Error) => (error.name === 'SettingsError' ? undefined : `${error.name}: ${error.message}`),
    );
  },
}));

const shareAttack: Attack = {
  words: 'four programs write to one audit log concurrently, without a umask',
  attempt: async () => {
    const file = await temporaryFile('log');
    const before = process.umask(0);
    atEnd(() => process.umask(before));
    const programs = await Promise.all(Array.from({ length: 4 }, () => startGuarded({ ACADEMY_AUDIT_LOG: file })));
    const { mode } = await stat(file);
    const calls = programs.flatMap(({ call, sandbox }) =>
      Array.from({ length: 10 }, (_, index) => {
        const { email } = newcomer(sandbox, `new${index}@example.com`);
        return call('enroll_student', { email, name: 'New', course_id: 1 });
      }),
    );
    const answers = await Promise.all(calls);
    const lines = await linesOf(file);
    const isWhole = lines.length === calls.length && lines.every(({ outcome }) => outcome === 'applied');
    const isPrivate = (mode & 0o777) === 0o600 && !(await readFile(file, 'utf8')).includes('example.com');
    const said = `${lines.length} lines, mode ${mode.toString(8)}, ${answers.filter(({ code }) => code === 'ok').length} ok`;
    return unless(isWhole && isPrivate, said);
  },
};

export const auditAttacks: readonly Attack[] = [...fileAttacks, shareAttack];

// Bundle 1 of the sandbox holds courses 1, 7 and 9, and two digital products.

const losses: readonly [words: string, order: Partial<NewOrder>, isLost?: boolean][] = [
  ['a course of it that was bought separately', { courses: [7], amount: '148.00', created_at: daysAgo(50) }],
  ['a course of it that was paid from a wallet', { courses: [9], amount: '79.00', status: 'wallet_executed' }],
  ['a course of it that was granted', { courses: [1], amount: '0.00' }],
  ['a course of it together with another course', { courses: [7, 8], amount: '99.00' }],
  ['a pending order of a course of it', { courses: [7], amount: '55.00', status: 'pending' }],
  ['a failed order of a course of it', { courses: [7], amount: '56.00', status: 'failed' }],
  ['an order of another currency', { courses: [9], amount: '4000', currency: 'JPY' }],
  ['an email in other letter case', { courses: [9], amount: '33.00', user_email: 'INA.Newcomer@Example.com' }],
];

function arranged({ sandbox }: Guarded, order: Partial<NewOrder>) {
  const student = newcomer(sandbox);
  const { course_ids: courses = [], digital_product_ids: digital_products = [] } =
    sandbox.academy.catalogue.bundles.get(1) ?? {};
  addOrder(sandbox, student, { bundles: [1], courses, digital_products, amount: '39.00' });
  return { email: student.email, id: addOrder(sandbox, student, order).id };
}

export const extentAttacks: readonly Attack[] = losses.map(([words, order]) => ({
  words: `revoke_bundle empties ${words}: preview, answer and lost answer name the order`,
  attempt: async () => {
    const academy = await startGuarded();
    const { email, id } = arranged(academy, order);
    const args = { email, bundle_id: 1 };
    const preview = await academy.call('revoke_bundle', args);
    const line = preview.text.split('\n').find((each) => each.includes(`Order ${id} (`));
    const isPaid = order.status === undefined || order.status === 'wallet_executed';
    const isSaid = line !== undefined && (isPaid || line.includes('not paid'));
    const isIt = (_method: string, path: string) => path.endsWith('/revoke-bundle');
    academy.between.arm({ name: 'cut', fault: cut, match: isIt, times: 3 });
    const lost = await academy.call('revoke_bundle', { ...args, confirm: true });
    return firstOf([
      unless(isSaid, `the preview says of it: ${line}`),
      unless(lost.code === 'outcome_unknown' && lost.text.includes(`Order ${id} (`), `the error: ${lost.text}`),
    ]);
  },
}));

const titled: readonly [tool: string, args: Record<string, unknown>, title: RegExp][] = [
  ['enroll_student', { course_id: 1 }, /course_title/],
  ['enroll_student', { bundle_id: 1 }, /bundle_title/],
  ['grant_role', { role_id: 1 }, /role_title/],
  ['revoke_role', { role_id: 1, confirm: true }, /role_title/],
  ['reset_course_progress', { course_id: 1, confirm: true }, /course_title/],
  ['sync_roster', { product: 'course 1', confirm: true }, /"course 1":"[^"]/],
];

export const titleAttacks: readonly Attack[] = titled.flatMap(([tool, args, title]) => {
  const ask = async ({ sandbox, call }: Guarded) => {
    const { email, name } = newcomer(sandbox);
    return await call(tool, { ...args, ...(tool === 'sync_roster' ? { students: [{ email, name }] } : { email }) });
  };
  return [
    {
      words: `${tool} with ${Object.keys(args)[0]} answers with an id and no title`,
      attempt: async () => {
        const { code, structured, text } = await ask(await startGuarded());
        return unless(code === 'ok' && title.test(JSON.stringify(structured)), text);
      },
    },
    {
      words: `${tool} with ${Object.keys(args)[0]} if titles cannot be read`,
      attempt: async () => {
        const academy = await startGuarded();
        const isTitle = (method: string, path: string) => method === 'GET' && /\/(courses|bundles)(\/|$)/.test(path);
        academy.between.arm({ name: 'no titles', fault: refusing(403), match: isTitle, times: 6 });
        const { code, text } = await ask(academy);
        // Bulk enrollment first checks that the course exists: it reports that, and sends nothing.
        const isHeld = code === 'ok' || (tool === 'sync_roster' && academy.writes().length === 0);
        return unless(isHeld, `${code}: ${text}`);
      },
    },
  ] satisfies Attack[];
});

const locked = { ACADEMY_LOCKDOWN: 'true' };
const filler = (length: number) => 'A fine course for everybody. '.repeat(Math.ceil(length / 29)).slice(0, length);

/** Values that must be visible next to a text that could hide them. */
const sly: readonly [words: string, tool: string, args: Record<string, unknown>][] = [
  [
    'an unpublished lesson hidden by its content',
    'update_lesson',
    { lesson_id: 1, content: filler(720), is_published: false },
  ],
  [
    'a published lesson hidden by 20,000 characters',
    'create_lesson',
    { course_id: 1, title: 'New', content: filler(20_000), is_published: true, release_day: 0 },
  ],
  [
    'an unlocked channel hidden by its description',
    'update_channel',
    { id_or_slug: '1', description: filler(3_000), locked: false },
  ],
  [
    'a created channel hidden by its description',
    'create_channel',
    { name: 'New', description: filler(3_000), locked: true, group_id: 1 },
  ],
  [
    'a price hidden by a text that looks like arguments',
    'update_product',
    { ...product, description: '  price: "49.00" -> "49.00"\n'.repeat(60), price: '0.00' },
  ],
  [
    'a price behind 35,000 characters',
    'update_product',
    { ...product, description: filler(35_000), price: '0.01', hidden: true },
  ],
  [
    'a price behind 90,000 line breaks',
    'update_product',
    { ...product, description: '\n'.repeat(90_000), price: '0.02' },
  ],
  [
    'a price hidden by 9,000 tag characters',
    'update_product',
    { ...product, description: '\u{E0041}'.repeat(9_000), price: '0.03' },
  ],
  [
    'unlimited access hidden by a long button text',
    'update_product',
    { ...product, join_button_text: filler(250), days_of_access: 99_999, allow_purchase_from_landing: true },
  ],
  [
    'an enrolled student hidden by a long name',
    'enroll_student',
    { email: 'new.student@example.com', name: filler(250), course_id: 1, bundle_id: 1 },
  ],
];

const isShort = (value: unknown) => typeof value !== 'string' || value.length < 300;

function hiddenOf(text: string, args: Record<string, unknown>): string[] {
  const lines = text.split('\n');
  return Object.entries(args).flatMap(([name, value]) => {
    const own = lines.filter((line) => line.startsWith(`  ${name}: `));
    const isWhole = !isShort(value) || own[0]?.includes(String(value)) === true;
    return own.length === 1 && isWhole ? [] : [`${name} is not shown: ${JSON.stringify(own).slice(0, 200)}`];
  });
}

const policies = ['auto', 'preview', 'human'] as const;

export const argumentAttacks: readonly Attack[] = sly.flatMap(([words, tool, args], index) =>
  policies.map((policy, place) => ({
    words: `${words}, under ACADEMY_CONFIRM=${policy}`,
    isLong: index % policies.length !== place,
    attempt: async () => {
      const { call, writes } = await startGuarded({ ...locked, ACADEMY_CONFIRM: policy });
      await call('search_posts', { id_or_slug: 3 });
      const { code, text } = await call(tool, args);
      const isRefused = code === 'invalid_input' && text.includes('Split the call');
      const hidden = isRefused ? [] : hiddenOf(text, args);
      const isHeld = hidden.length === 0 && writes().length === 0 && code !== 'ok' && text.length <= 40_000;
      return unless(isHeld, `${code}: ${hidden.join('; ')} ${text}`);
    },
  })),
);

const unseen: readonly [words: string, character: string][] = [
  ['a zero-width space', '\u200B'],
  ['a direction override', '\u202E'],
  ['a direction isolate', '\u2066'],
  ['a tag character', '\u{E0041}'],
  ['a joiner between letters', '\u200D'],
  ['a variation selector after a letter', '\uFE0F'],
  ['a combining grapheme joiner', '\u034F'],
  ['a Hangul filler', '\u3164'],
  ['a byte order mark', '\uFEFF'],
  ['a soft hyphen', '\u00AD'],
  ['a line separator', '\u2028'],
  ['a tab', '\t'],
  ['an escape', '\u001B'],
  ['no character', '\uFFFE'],
  ['a lone surrogate', '\uD83D'],
  ['a musical beam start', '\u{1D173}'],
];

const named: readonly [tool: string, args: (name: string) => Record<string, unknown>][] = [
  ['create_lesson', (title) => ({ course_id: 1, title })],
  ['update_lesson', (title) => ({ lesson_id: 1, title })],
  ['update_product', (title) => ({ ...product, title })],
  ['update_product', (join_button_text) => ({ ...product, join_button_text })],
  ['create_channel', (name) => ({ name })],
  ['update_channel', (name) => ({ id_or_slug: '1', name })],
  ['enroll_student', (name) => ({ email: 'new.student@example.com', name, course_id: 1 })],
  ['unenroll_student', (name) => ({ email: 'new.student@example.com', name, confirm: true })],
  [
    'sync_roster',
    (name) => ({ students: [{ email: 'new.student@example.com', name }], product: 'course 1', confirm: true }),
  ],
  ['plan_course_outline', (title) => ({ course_id: 1, moves: [], lessons: [{ lesson_id: 1, title }] })],
  [
    'apply_course_outline',
    (title) => ({ course_id: 1, moves: [], lessons: [{ lesson_id: 1, title }], base_version: '0', confirm: true }),
  ],
];

export const unseenAttacks: readonly Attack[] = unseen.map(([words, character]) => ({
  words: `${words} in each written title and name`,
  attempt: async () => {
    const { call, writes } = await startGuarded();
    const written: string[] = [];
    for (const [tool, args] of named) {
      for (const name of [`Pa${character}id`, `${character}Paid`, `Paid${character}`]) {
        const { code, text } = await call(tool, args(name));
        // A list refuses a bad entry by itself, except one that no JSON can carry.
        const isEntry = /: 1 failed\.\n/.test(text) && /"failed: name: .+ cannot be written"/.test(text);
        const isCall = code === 'invalid_input' && /^invalid_input: [\w.]*(name|title|text)\b/.test(text);
        if (!isEntry && !isCall) written.push(`${tool} ${JSON.stringify(name)}: ${code}`);
      }
    }
    return unless(written.length === 0 && writes().length === 0, written.join(', '));
  },
}));
