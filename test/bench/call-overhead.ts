import * as z from 'zod';
import type { Benchmark, Table } from './benchmark.ts';
import { count, megabytes, milliseconds, share } from './figures.ts';
import { findPeers, type OperationName } from './peers/peers.ts';
import { academyMcp, type McpProcess, openSandbox, openServer, type SandboxProcess } from './processes.ts';
import { interleave, median, p95, perSecond, timed } from './statistics.ts';

const sequentialCalls = 150;

/** One question, for the tool and for the API itself; `index` makes each call different. */
interface Question {
  readonly name: string;
  readonly tool: string;
  readonly operation: OperationName;
  readonly calls: number;
  args(index: number): object;
  path(index: number): string;
}

interface Way {
  readonly name: string;
  ask(question: Question, index: number): Promise<unknown>;
}

function throughTool(name: string, server: McpProcess, toolOf: (question: Question) => string): Way {
  return {
    name,
    ask: async (question, index) => {
      const { isError, text } = await server.callTool(toolOf(question), question.args(index));
      if (isError) throw new Error(`${toolOf(question)}: ${text}`);
    },
  };
}

type Ways = Awaited<ReturnType<typeof openWays>>;

async function openWays(server: McpProcess, sandbox: SandboxProcess) {
  const { ivotoby, mcpOpenapi } = await findPeers();
  const peers: Way[] = [];
  for (const peer of [ivotoby, mcpOpenapi]) {
    const opened = await openServer(peer.launch(sandbox.environment));
    peers.push(throughTool(peer.name, opened, ({ operation }) => peer.tools[operation]));
  }
  const direct: Way = {
    name: 'directly',
    ask: async (question, index) => JSON.parse(await sandbox.get(question.path(index))),
  };
  return {
    direct,
    tool: throughTool('academy-mcp', server, ({ tool }) => tool),
    peers,
  };
}

async function latencies(question: Question, { ask }: Way): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < sequentialCalls; index += 1) samples.push(await timed(() => ask(question, index)));
  return samples;
}

type Latency = Awaited<ReturnType<typeof latenciesOf>>[number];

async function latenciesOf(question: Question, { direct, tool, peers }: Ways) {
  const results = await interleave([direct, tool, ...peers], { rounds: 3, warmUps: 1 }, (way) =>
    latencies(question, way),
  );
  const all = results.map(({ subject, samples }) => ({ name: subject.name, samples: samples.flat() }));
  const base = median(all[0]?.samples ?? []);
  return all.map(({ name, samples }) => ({
    question: question.name,
    name,
    added: median(samples) - base,
    median: median(samples),
    p95: p95(samples),
  }));
}

function oneByOne(measured: readonly Latency[]): Table {
  const rows = measured.map(({ question, name, added, ...times }) => [
    question,
    name,
    name === 'directly' ? '' : `+ ${milliseconds(added)}`,
    milliseconds(times.median),
    milliseconds(times.p95),
  ]);
  return { columns: ['Sequential calls', 'Through', 'Added, ms', 'Median, ms', 'p95, ms'], rows };
}

const orders = 20_000;
const pages = orders / 100;
const inFlight = 50;

const orderPage = z.object({ orders: z.array(z.object({ id: z.string() })) });

const pageOf = (index: number) => (index % pages) + 1;

function questionsOn(ids: readonly string[]): Question[] {
  const idOf = (index: number) => ids[index % ids.length] ?? '';
  return [
    {
      name: '`get_account`',
      tool: 'get_account',
      operation: 'getAccount',
      calls: 1500,
      args: () => ({}),
      path: () => '/api/v1/account',
    },
    {
      name: '`get_order`, a different order each time',
      tool: 'get_order',
      operation: 'getOrder',
      calls: 1500,
      args: (index) => ({ order_id: idOf(index) }),
      path: (index) => `/api/v1/orders/${idOf(index)}`,
    },
    {
      name: '`list_orders`, pages of 100',
      tool: 'list_orders',
      operation: 'listOrders',
      calls: 400,
      args: (index) => ({ status: 'all', per_page: 100, page: pageOf(index) }),
      path: (index) => `/api/v1/orders?status=all&per_page=100&page=${pageOf(index)}`,
    },
  ];
}

async function manyAtOnce(questions: readonly Question[], { direct, tool }: Ways): Promise<Table> {
  const rows: string[][] = [];
  for (const question of questions) {
    const results = await interleave([direct, tool], { rounds: 3, warmUps: 1 }, ({ ask }) =>
      perSecond(question.calls, inFlight, (index) => ask(question, index)),
    );
    const [directRate = 0, toolRate = 0] = results.map(({ samples }) => median(samples));
    rows.push([question.name, share(toolRate, directRate), count(directRate), count(toolRate)]);
  }
  return {
    columns: [`${inFlight} in flight`, 'Of directly', 'Directly, calls/s', 'Through academy-mcp, calls/s'],
    rows,
  };
}

export const callOverhead: Benchmark = {
  name: 'call-overhead',
  title: 'Overhead of a call over the API',
  run: async () => {
    const sandbox = await openSandbox(['--orders', String(orders), '--rate-limit', 'off']);
    const server = await openServer(academyMcp({ ...sandbox.environment, ACADEMY_RATE_LIMIT: 'off' }));
    const everyOrder = orderPage.parse(JSON.parse(await sandbox.get('/api/v1/orders?status=all')));
    const questions = questionsOn(everyOrder.orders.map(({ id }) => id));
    const ways = await openWays(server, sandbox);
    const measured: Latency[] = [];
    for (const question of questions) measured.push(...(await latenciesOf(question, ways)));
    return {
      tables: [oneByOne(measured), await manyAtOnce(questions, ways)],
      notes: [
        `Directly: undici to the same sandbox of ${count(orders)} orders. Through a server: stdio to its process and from there to the sandbox; academy-mcp with \`ACADEMY_RATE_LIMIT=off\`. The generic servers pass the API's JSON on, and mcp-openapi shows 20 orders of each 100; academy-mcp checks and cleans every field and returns both forms of an answer. Client, server and sandbox share the cores. Identical reads in flight may share one request, so \`get_account\` in flight says little; the other calls are all different.`,
        `Peak memory of academy-mcp after these calls: ${megabytes(server.memory()?.peak)} MB.`,
      ],
    };
  },
};
