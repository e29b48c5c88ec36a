import * as z from 'zod';
import type { Benchmark, Table } from './benchmark.ts';
import { count, megabytes, milliseconds, share } from './figures.ts';
import { type McpProcess, openServer } from './mcp-process.ts';
import { program } from './programs.ts';
import { openSandbox, type SandboxProcess } from './sandbox-process.ts';
import { interleave, median, p95, perSecond, timed } from './statistics.ts';

const orders = 20_000;
const pages = orders / 100;
const sequentialCalls = 150;
const inFlight = 50;

const orderPage = z.object({ orders: z.array(z.object({ id: z.string() })) });

/** One question, for the tool and for the API itself; `index` makes each call different. */
interface Question {
  readonly name: string;
  readonly tool: string;
  readonly calls: number;
  args(index: number): object;
  path(index: number): string;
}

const pageOf = (index: number) => (index % pages) + 1;

function questionsOn(ids: readonly string[]): Question[] {
  const idOf = (index: number) => ids[index % ids.length] ?? '';
  return [
    { name: '`get_account`', tool: 'get_account', calls: 1500, args: () => ({}), path: () => '/api/v1/account' },
    {
      name: '`get_order`, a different order each time',
      tool: 'get_order',
      calls: 1500,
      args: (index) => ({ order_id: idOf(index) }),
      path: (index) => `/api/v1/orders/${idOf(index)}`,
    },
    {
      name: '`list_orders`, pages of 100',
      tool: 'list_orders',
      calls: 400,
      args: (index) => ({ status: 'all', per_page: 100, page: pageOf(index) }),
      path: (index) => `/api/v1/orders?status=all&per_page=100&page=${pageOf(index)}`,
    },
  ];
}

type Ask = (question: Question, index: number) => Promise<unknown>;

/** Both read the complete answer and parse its JSON. */
function waysOf(server: McpProcess, sandbox: SandboxProcess): { direct: Ask; tool: Ask } {
  return {
    direct: async (question, index) => JSON.parse(await sandbox.get(question.path(index))),
    tool: async (question, index) => {
      const { isError, text } = await server.callTool(question.tool, question.args(index));
      if (isError) throw new Error(`${question.tool}: ${text}`);
    },
  };
}

async function latencies(question: Question, ask: Ask): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < sequentialCalls; index += 1) samples.push(await timed(() => ask(question, index)));
  return samples;
}

type Ways = ReturnType<typeof waysOf>;

async function oneByOne(questions: readonly Question[], ways: Ways): Promise<Table> {
  const rows: string[][] = [];
  for (const question of questions) {
    const results = await interleave([ways.direct, ways.tool], { rounds: 3, warmUps: 1 }, (ask) =>
      latencies(question, ask),
    );
    const [direct = [], tool = []] = results.map(({ samples }) => samples.flat());
    const added = milliseconds(median(tool) - median(direct));
    const times = [median(direct), p95(direct), median(tool), p95(tool)].map(milliseconds);
    rows.push([question.name, `+ ${added}`, ...times]);
  }
  const columns = ['Sequential calls', 'Added, ms', 'Direct, ms', 'Direct p95', 'Through the tool, ms', 'Tool p95'];
  return { columns, rows };
}

async function manyAtOnce(questions: readonly Question[], ways: Ways): Promise<Table> {
  const rows: string[][] = [];
  for (const question of questions) {
    const results = await interleave([ways.direct, ways.tool], { rounds: 3, warmUps: 1 }, (ask) =>
      perSecond(question.calls, inFlight, (index) => ask(question, index)),
    );
    const [direct = 0, tool = 0] = results.map(({ samples }) => median(samples));
    rows.push([question.name, share(tool, direct), count(direct), count(tool)]);
  }
  return { columns: [`${inFlight} in flight`, 'Of direct', 'Direct, calls/s', 'Through the tool, calls/s'], rows };
}

export const callOverhead: Benchmark = {
  title: 'Overhead of a call over the API',
  run: async (atEnd) => {
    const sandbox = await openSandbox(['--orders', String(orders), '--rate-limit', 'off'], atEnd);
    const server = await openServer(program, { ...sandbox.environment, ACADEMY_RATE_LIMIT: 'off' }, atEnd);
    const everyOrder = orderPage.parse(JSON.parse(await sandbox.get('/api/v1/orders?status=all')));
    const questions = questionsOn(everyOrder.orders.map(({ id }) => id));
    const ways = waysOf(server, sandbox);
    const tables = [await oneByOne(questions, ways), await manyAtOnce(questions, ways)];
    return {
      tables,
      notes: [
        `Direct: undici to the same sandbox of ${count(orders)} orders. Through the tool: stdio to a process of academy-mcp and from there to the sandbox, with \`ACADEMY_RATE_LIMIT=off\`. Client, server and sandbox share the cores. Identical reads in flight may share one request, so \`get_account\` in flight says little; the other calls are all different.`,
        `Peak memory of academy-mcp after these calls: ${megabytes(server.memory()?.peak)} MB.`,
      ],
    };
  },
};
