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

const page = { status: 'all', per_page: 100, page: 1 };
const orders = { tool: 'list_orders', path: '/api/v1/orders?status=all&per_page=100&page=1', list: 'orders' };

/** The sandbox has the same data in each run: course 7 is its largest one, and sql-databases has the longest page of posts. */
const questions: readonly Question[] = [
  { ...orders, name: '`list_orders`, 100 orders, summary', args: page },
  { ...orders, name: '`list_orders`, 100 orders, full', args: { ...page, detail: 'full' } },
  {
    name: '`list_students`, 50 students',
    tool: 'list_students',
    args: {},
    path: '/api/v1/students?page=1',
    list: 'students',
  },
  {
    name: '`get_course_structure` of the largest course',
    tool: 'get_course_structure',
    args: { course_id: 7 },
    path: '/api/v1/courses/7/lessons',
  },
  {
    name: '`search_posts`, up to 100 posts',
    tool: 'search_posts',
    args: { id_or_slug: 'sql-databases', per_page: 100 },
    path: '/api/v1/community/channels/sql-databases/posts?per_page=100',
    list: 'posts',
  },
];

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
    for (const question of questions) rows.push(await rowOf(question, server, sandbox));
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
