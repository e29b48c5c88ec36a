import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/sandbox.ts';

// CONTRIBUTING.md, "Add a tool": an API with two more operations needs these files and no other.

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
  response: openRecord('student', z.object({ email: memberLine('Student email'), sign_in_count: z.int(), paying_student: z.boolean() })),
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
  undoWith: 'it cannot be undone',
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
    const { sign_in_count, paying_student } = requireStudent(academy, email);
    return { email, sign_in_count, paying_student };
  },
`,
    },
  ],
  'src/sandbox/handlers/access.ts': [
    {
      before: "  'access.unenrollStudent': ",
      add: `  'access.suspendStudent': ({ email }, academy) => {
    requireStudent(academy, email).paying_student = false;
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
  title: 'Get sign-ins',
  description: 'Shows how often one student signed in.',
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
import { accessOutput, presentAccessResult } from './access-result.ts';

export const suspendStudent = defineApiTool({
  name: 'suspend_student',
  toolset: 'access',
  title: 'Suspend a student',
  description: 'Suspends a student.',
  cost: { once: 1 },
  example: { email: 'freya.hargreaves@example.net' },
  operation,
  output: accessOutput(),
  confirmationMessage: ({ email }) => \`This suspends \${email}.\`,
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
  const { stdout } = await run('git', ['ls-files', 'src', 'tools', 'package.json', 'tsconfig.json'], { cwd: root });
  for (const file of stdout.trim().split('\n')) await cp(join(root, file), join(folder, file));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function typeErrors(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const ended = run(process.execPath, [tsc, '-p', folder], { cwd: folder });
  return await ended.then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

test('an operation is added by the files of the recipe alone', { timeout: 300_000 }, async () => {
  const folder = await copyOfTree();
  for (const file of Object.keys(steps).filter((name) => !demanded.includes(name))) await apply(folder, file);
  const missing = await typeErrors(folder);
  for (const file of demanded) expect(missing).toContain(file);
  for (const file of demanded) await apply(folder, file);
  expect(await typeErrors(folder)).toBe('');

  const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
  const args = ['--import', 'tsx', join(folder, 'src/main.ts'), '--sandbox'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder, env: {} }));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  const [read, write] = ['get_sign_ins', 'suspend_student'].map((name) => tools.find((tool) => tool.name === name));
  expect(read?.annotations).toMatchObject({ readOnlyHint: true });
  expect(write?.annotations).toMatchObject({ destructiveHint: true, idempotentHint: true });
  const email = 'freya.hargreaves@example.net';
  const refused = await client.callTool({ name: 'suspend_student', arguments: { email } });
  expect(refused).toMatchObject({ isError: true });
  const done = await client.callTool({ name: 'suspend_student', arguments: { email, confirm: true } });
  expect(done.structuredContent).toMatchObject({ outcome: 'applied' });
  const shown = await client.callTool({ name: 'get_sign_ins', arguments: { email } });
  expect(shown.structuredContent).toMatchObject({ email, paying_student: false });
});
