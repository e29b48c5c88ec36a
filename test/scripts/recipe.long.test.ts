import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/sandbox.ts';

// CONTRIBUTING.md, "Add a tool": an API with two more operations needs these files and no other.
// What they do is tested in the copy, by the recipe's own command.

const run = promisify(execFile);
const root = new URL('../..', import.meta.url).pathname;

/** An edit of one file: text before a line that is there, at the end of the file, or a whole new file. */
type Edit =
  | { readonly add: string; readonly before: string }
  | { readonly append: string }
  | { readonly whole: string };

const steps: Readonly<Record<string, readonly Edit[]>> = {
  'src/contract/students.ts': [
    {
      append: `
export const getSignIns = defineOperation({
  id: 'students.getSignIns',
  method: 'GET',
  path: '/api/v1/students/sign-ins',
  summary: 'How often one student signed in.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_students',
  query: { email: studentEmail },
  response: openRecord('student', z.object({ email: memberLine('Student email'), sign_in_count: z.int(), is_active: z.boolean() })),
});
`,
    },
  ],
  'src/contract/access.ts': [
    {
      append: `
export const suspendStudent = defineOperation({
  id: 'access.suspendStudent',
  method: 'POST',
  path: '/api/v1/student/suspend',
  summary: 'Suspend a student.',
  effect: 'destroy',
  repeat: 'same_effect',
  capability: 'manage_student_access',
  checkWith: 'get_student_details',
  changes: ['students'],
  undo: 'none',
  undoWith: 'nothing makes a suspended student active',
  body: { email: studentEmail },
  response: acknowledgement,
});
`,
    },
  ],
  'src/contract/index.ts': [
    { add: '  students.getSignIns,\n', before: '  students.getStudentDetails,\n' },
    { add: '  access.suspendStudent,\n', before: '  access.unenrollStudent,\n' },
  ],
  'src/sandbox/handlers/students.ts': [
    {
      before: "  'students.getStudentDetails': ",
      add: `  'students.getSignIns': ({ email }, academy) => {
    const { sign_in_count, is_active } = requireStudent(academy, email);
    return { email, sign_in_count, is_active };
  },
`,
    },
  ],
  'src/sandbox/handlers/access.ts': [
    {
      before: "  'access.unenrollStudent': ",
      add: `  'access.suspendStudent': ({ email }, academy) => {
    requireStudent(academy, email).is_active = false;
    return { success: true };
  },
`,
    },
  ],
  'src/api/writes/verify.ts': [
    {
      add: "  'access.suspendStudent': { verify: noVerifier, ...noAccess },\n",
      before: "  'access.grantRole': ",
    },
  ],
  'tools/students/get-sign-ins.ts': [
    {
      whole: `import { getSignIns as operation } from '../../src/contract/students.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';

export const getSignIns = defineApiTool({
  name: 'get_sign_ins',
  toolset: 'students',
  title: 'Count logins of a student',
  description: 'Counts the logins of one student, and says if they are active. Use student_profile for what they bought. One request.',
  cost: { once: 1 },
  example: { email: 'freya.hargreaves@example.net' },
  operation,
  output: recordOutput(operation.response.schema.shape),
  present: (record) => ({ summary: \`Signed in \${record.sign_in_count} times.\`, data: { ...record } }),
});
`,
    },
  ],
  'tools/access/suspend-student.ts': [
    {
      whole: `import { suspendStudent as operation } from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { studentFacts } from './access-facts.ts';
import { accessOutput, presentAccessResult } from './access-result.ts';

export const suspendStudent = defineApiTool({
  name: 'suspend_student',
  toolset: 'access',
  title: 'Suspend a student',
  description: 'Suspends an account: its owner cannot sign in until an admin allows it. Products stay. Use revoke_course for a course. One request.',
  cost: { once: 1 },
  example: { email: 'freya.hargreaves@example.net' },
  operation,
  output: accessOutput(),
  confirmationMessage: ({ email }) => \`This suspends \${email}.\`,
  confirmationFacts: ({ email }, context) => studentFacts(context, email),
  present: (answer, { email }) => presentAccessResult(\`Suspended \${email}.\`, { email }, answer),
});
`,
    },
  ],
  'tools/index.ts': [
    {
      before: 'import { enrollStudent } from',
      add: "import { suspendStudent } from './access/suspend-student.ts';\nimport { getSignIns } from './students/get-sign-ins.ts';\n",
    },
    { add: '  getSignIns,\n', before: '  getStudentDetails,\n' },
    { add: '  suspendStudent,\n', before: '  unenrollStudent,\n' },
  ],
  'test/support/document.ts': [
    { before: "  'GET /api/v1/students/completions',\n", add: "  'GET /api/v1/students/sign-ins',\n" },
    { before: "  'POST /api/v1/student/unenroll',\n", add: "  'POST /api/v1/student/suspend',\n" },
  ],
  'test/wire/students.ts': [
    {
      before: "  {\n    endpoint: 'GET /api/v1/students/completions',\n",
      add: `  {
    endpoint: 'GET /api/v1/students/sign-ins',
    when: 'always',
    tool: 'get_sign_ins',
    arguments: { email: 'ann@example.com' },
    sends: { method: 'GET', path: '/api/v1/students/sign-ins', query: 'email=ann%40example.com' },
    answers: { body: { email: 'ann@example.com', sign_in_count: 7, is_active: true } },
    tells: ['ann@example.com', 7],
  },
`,
    },
  ],
  'test/wire/access.ts': [
    {
      before: "  {\n    endpoint: 'POST /api/v1/student/unenroll',\n",
      add: `  {
    endpoint: 'POST /api/v1/student/suspend',
    when: 'confirmed',
    tool: 'suspend_student',
    arguments: { email, confirm: true },
    sends: { method: 'POST', path: '/api/v1/student/suspend', body: { email } },
    answers: done,
    tells: [email],
  },
`,
    },
  ],
  'test/tools/students.test.ts': [
    {
      append: `
test('get_sign_ins shows what suspend_student did', async () => {
  const { sandbox, call } = await startAcademy();
  const email = sandbox.academy.students.all()[0]?.email;
  await call('suspend_student', { email, confirm: true });
  expect((await call('get_sign_ins', { email })).structured).toMatchObject({ email, is_active: false });
});
`,
    },
  ],
  'test/tools/tool-search.test.ts': [
    {
      before: "  ['How far is one student in one course?', ",
      add: "  ['Count the logins of a student', 'get_sign_ins'],\n  ['Suspend an account', 'suspend_student'],\n",
    },
  ],
  'test/tools/changes.test.ts': [{ before: 'unenroll|reset/.test(name)', add: 'suspend|' }],
  'test/mcp/confirmation/lockdown.test.ts': [{ before: "  'get_course_completion',\n", add: "  'get_sign_ins',\n" }],
  'test/tools/all-tools.test.ts': [
    { before: '  unenroll: removing,\n', add: '  suspend: removing,\n' },
    { before: "  'sync_roster',\n  'unenroll_student',\n", add: "  'suspend_student',\n" },
  ],
  'docs/internals/api.md': [
    { append: '\n`GET /api/v1/students/sign-ins` and `POST /api/v1/student/suspend` take `email`.\n' },
  ],
};

/** The steps that a compiler must miss. */
const demanded = ['src/sandbox/handlers/access.ts', 'src/api/writes/verify.ts'];

function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, edit) => {
    if ('whole' in edit) return edit.whole;
    if ('append' in edit) return `${before}${edit.append}`;
    const [start = '', ...rest] = before.split(edit.before);
    expect(rest, `"${edit.before}" is there once`).toHaveLength(1);
    return `${start}${edit.add}${edit.before}${rest[0]}`;
  }, text);
}

async function apply(folder: string, file: string): Promise<void> {
  const edits = steps[file] ?? [];
  const text = edits.some((edit) => 'whole' in edit) ? '' : await readFile(join(folder, file), 'utf8');
  await writeFile(join(folder, file), edited(text, edits));
}

async function copyOfTree(): Promise<string> {
  const folder = await temporaryFolder();
  const { stdout } = await run('git', ['ls-files'], { cwd: root });
  for (const file of stdout.trim().split('\n')) await cp(join(root, file), join(folder, file));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** What a command prints, and whether it succeeds. */
async function outcomeOf(folder: string, command: string): Promise<{ isGreen: boolean; output: string }> {
  const ended = run('sh', ['-c', command], { cwd: folder, maxBuffer: 2 ** 26 });
  return await ended.then(
    ({ stdout }) => ({ isGreen: true, output: stdout }),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ isGreen: false, output: `${stdout}${stderr}` }),
  );
}

async function expectGreen(folder: string, command: string): Promise<void> {
  const { isGreen, output } = await outcomeOf(folder, command);
  expect(isGreen, `${command}\n${output.slice(-5_000)}`).toBe(true);
}

const [, recipe = ''] =
  /^### Add a tool\n(.+?)^### /ms.exec(await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? [];

const people = '(students|access)';
const placeholders = { '<tool-name>': '(get-sign-ins|suspend-student)', '<toolset>': people, '<section>': people };

/** Whether the recipe names a file: by its path, by one with placeholders, or by its folder. */
function isNamed(file: string): boolean {
  const filled = Object.entries(placeholders).reduce((text, [name, own]) => text.replaceAll(name, own), recipe);
  const paths = [...filled.matchAll(/`([\w./()|-]+)`/g)].map(([, path = '']) => path);
  return paths.some((path) => new RegExp(`^${path}${path.endsWith('/') ? '' : '$'}`).test(file));
}

test('two operations are added by the files of the recipe alone', { timeout: 1_800_000 }, async () => {
  const folder = await copyOfTree();
  expect(Object.keys(steps).filter((file) => !isNamed(file))).toEqual([]);
  for (const file of Object.keys(steps).filter((name) => !demanded.includes(name))) await apply(folder, file);
  const { output } = await outcomeOf(folder, 'npx tsc -p .');
  for (const file of demanded) expect(output).toContain(file);
  for (const file of demanded) await apply(folder, file);
  for (const command of ['npx tsc -p .', 'npm run snap', 'npm run docs']) await expectGreen(folder, command);
  const [command = ''] = /^npx vitest run .+$/m.exec(recipe) ?? [];
  expect(command).toContain('test/wire.test.ts');
  await expectGreen(folder, command);
});
