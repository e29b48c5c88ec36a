import * as z from 'zod';
import type { Benchmark, Table } from './benchmark.ts';
import { count, megabytes, share } from './figures.ts';
import { openServer } from './mcp-process.ts';
import { academyMcp } from './programs.ts';
import { openSandbox } from './sandbox-process.ts';
import { type Latency, latenciesOf, oneByOne, openWays, plotOf, type Question, type Ways } from './sequential-calls.ts';
import { interleave, median, perSecond } from './statistics.ts';

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
  run: async (atEnd) => {
    const sandbox = await openSandbox(['--orders', String(orders), '--rate-limit', 'off'], atEnd);
    const server = await openServer(academyMcp({ ...sandbox.environment, ACADEMY_RATE_LIMIT: 'off' }), atEnd);
    const everyOrder = orderPage.parse(JSON.parse(await sandbox.get('/api/v1/orders?status=all')));
    const questions = questionsOn(everyOrder.orders.map(({ id }) => id));
    const ways = await openWays(server, sandbox, atEnd);
    const measured: Latency[] = [];
    for (const question of questions) measured.push(...(await latenciesOf(question, ways)));
    return {
      plots: [plotOf(measured)],
      tables: [oneByOne(measured), await manyAtOnce(questions, ways)],
      notes: [
        `Directly: undici to the same sandbox of ${count(orders)} orders. Through a server: stdio to its process and from there to the sandbox; academy-mcp with \`ACADEMY_RATE_LIMIT=off\`. The generic servers pass the API's JSON on, and mcp-openapi shows 20 orders of each 100; academy-mcp checks and cleans every field and returns both forms of an answer. Client, server and sandbox share the cores. Identical reads in flight may share one request, so \`get_account\` in flight says little; the other calls are all different.`,
        `Peak memory of academy-mcp after these calls: ${megabytes(server.memory()?.peak)} MB.`,
      ],
    };
  },
};
