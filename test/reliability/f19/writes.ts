import { chmod, link, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newcomer } from '../../support/arrange.ts';
import { linesOf } from '../../support/audit-lines.ts';
import { type Attack, type Ground, unless } from './attack.ts';

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
  point: 11,
  words: `${tool} twice, with a ${Object.keys(args('')).at(-1)} in other letter case around an @`,
  attempt: async (ground) => {
    const { call, writes } = await ground.academy();
    const answers = await Promise.all([upper, lower].map((text) => call(tool, args(text))));
    const { length } = writes();
    return unless(length === 2, `${length} writes sent; ${answers.map(({ text }) => text).join(' / ')}`);
  },
}));

async function folderOf(ground: Ground): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-f19-'));
  ground.keep(() => rm(folder, { recursive: true }));
  return folder;
}

const files: readonly [words: string, make: (folder: string) => Promise<string>][] = [
  [
    'a dangling link',
    async (folder) => {
      await symlink(join(folder, 'nowhere'), join(folder, 'log'));
      return join(folder, 'log');
    },
  ],
  [
    'a link to a link to a good file',
    async (folder) => {
      await writeFile(join(folder, 'good'), '', { mode: 0o600 });
      await symlink(join(folder, 'good'), join(folder, 'one'));
      await symlink(join(folder, 'one'), join(folder, 'log'));
      return join(folder, 'log');
    },
  ],
  [
    'a hard link to a group-writable file',
    async (folder) => {
      await writeFile(join(folder, 'theirs'), '');
      await chmod(join(folder, 'theirs'), 0o660);
      await link(join(folder, 'theirs'), join(folder, 'log'));
      return join(folder, 'log');
    },
  ],
  [
    'a setgid file that others may write to',
    async (folder) => {
      await writeFile(join(folder, 'log'), '');
      await chmod(join(folder, 'log'), 0o2602);
      return join(folder, 'log');
    },
  ],
  [
    'a folder',
    async (folder) => {
      await mkdir(join(folder, 'log'));
      return join(folder, 'log');
    },
  ],
  ['a device', async () => '/dev/null'],
];

const fileAttacks: readonly Attack[] = files.map(([words, make]) => ({
  point: 12,
  words: `an audit log that is ${words}`,
  attempt: async (ground) => {
    const folder = await folderOf(ground);
    const file = await make(folder);
    const opened = await ground.academy({ ACADEMY_AUDIT_LOG: file }).then(
      () => 'the file was opened',
      (error: Error) => (error.name === 'SettingsError' ? undefined : `${error.name}: ${error.message}`),
    );
    return opened;
  },
}));

const shareAttack: Attack = {
  point: 12,
  words: 'four programs write to one audit log concurrently, without a umask',
  attempt: async (ground) => {
    const file = join(await folderOf(ground), 'log');
    const before = process.umask(0);
    ground.keep(() => process.umask(before));
    const programs = await Promise.all(Array.from({ length: 4 }, () => ground.academy({ ACADEMY_AUDIT_LOG: file })));
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
