import * as z from 'zod';
import type { Benchmark } from './benchmark.ts';
import { byteLength, count, jsonBytes, share } from './figures.ts';
import { academyMcp, type McpProcess, openSandbox, openServer, type SandboxProcess } from './processes.ts';

interface Question {
  readonly name: string;
  readonly tool: string;
  readonly args: object;
  readonly path: string;
  /** The key of the records in an answer; without it, the answer counts as one record. */
  readonly list?: string;
}

const courseList = z.object({ courses: z.array(z.object({ id: z.int() })) });
const channelList = z.object({ channels: z.array(z.object({ slug: z.string() })) });

async function longest(sandbox: SandboxProcess, paths: readonly string[]): Promise<string> {
  const answers = await Promise.all(paths.map(async (path) => ({ path, bytes: byteLength(await sandbox.get(path)) })));
  return answers.reduce((one, other) => (other.bytes > one.bytes ? other : one)).path;
}

async function largestCourse(sandbox: SandboxProcess): Promise<Question> {
  const { courses } = courseList.parse(JSON.parse(await sandbox.get('/api/v1/courses')));
  const path = await longest(
    sandbox,
    courses.map(({ id }) => `/api/v1/courses/${id}/lessons`),
  );
  const courseId = Number(path.split('/')[4]);
  return {
    name: '`get_course_structure` of the largest course',
    tool: 'get_course_structure',
    args: { course_id: courseId },
    path,
  };
}

async function fullestChannel(sandbox: SandboxProcess): Promise<Question> {
  const { channels } = channelList.parse(JSON.parse(await sandbox.get('/api/v1/community/channels')));
  const path = await longest(
    sandbox,
    channels.map(({ slug }) => `/api/v1/community/channels/${slug}/posts?per_page=100`),
  );
  const args = { id_or_slug: path.split('/')[5], per_page: 100 };
  return { name: '`search_posts`, up to 100 posts', tool: 'search_posts', args, path, list: 'posts' };
}

async function questionsOn(sandbox: SandboxProcess): Promise<Question[]> {
  const page = { status: 'all', per_page: 100, page: 1 };
  const orders = { tool: 'list_orders', path: '/api/v1/orders?status=all&per_page=100&page=1', list: 'orders' };
  return [
    { ...orders, name: '`list_orders`, 100 orders, summary', args: page },
    { ...orders, name: '`list_orders`, 100 orders, full', args: { ...page, detail: 'full' } },
    {
      name: '`list_students`, 50 students',
      tool: 'list_students',
      args: {},
      path: '/api/v1/students?page=1',
      list: 'students',
    },
    await largestCourse(sandbox),
    await fullestChannel(sandbox),
  ];
}

function recordsIn(answer: unknown, list: string | undefined): number {
  if (list === undefined) return 1;
  const records: unknown = Object(answer)[list];
  return Array.isArray(records) ? records.length : Number.NaN;
}

async function rowOf({ name, tool, args, path, list }: Question, server: McpProcess, sandbox: SandboxProcess) {
  const raw = await sandbox.get(path);
  const { isError, text, structured } = await server.callTool(tool, args);
  if (isError) throw new Error(`${tool}: ${text}`);
  const [sent, shown] = [recordsIn(JSON.parse(raw), list), recordsIn(structured, list)];
  const [rawEach, textEach, structuredEach] = [
    byteLength(raw) / sent,
    byteLength(text) / shown,
    jsonBytes(structured) / shown,
  ];
  return [
    name,
    share(textEach, rawEach),
    share(structuredEach, rawEach),
    list === undefined ? 'all' : `${shown} of ${sent}`,
    ...[byteLength(raw), byteLength(text), jsonBytes(structured)].map(count),
  ];
}

export const answerSizes: Benchmark = {
  name: 'answer-sizes',
  title: 'Size of answers',
  run: async () => {
    const sandbox = await openSandbox(['--rate-limit', 'off']);
    const server = await openServer(academyMcp({ ...sandbox.environment, ACADEMY_RATE_LIMIT: 'off' }));
    const rows: string[][] = [];
    for (const question of await questionsOn(sandbox)) rows.push(await rowOf(question, server, sandbox));
    const columns = [
      'Answer',
      'Text of API',
      'Structured of API',
      'Records shown',
      'API, bytes',
      'Text, bytes',
      'Structured, bytes',
    ];
    return {
      tables: [{ columns, rows }],
      notes: [
        'The shares are per shown record, because an answer ends at 40,000 characters and says how to continue. Structured: `structuredContent` as compact JSON. API: the JSON that the sandbox sends for the same question. A client gives the model one of the two forms.',
      ],
    };
  },
};
