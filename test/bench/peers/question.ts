import * as z from 'zod';
import type { Benchmark } from '../benchmark.ts';
import { count, ratio, tokens } from '../figures.ts';
import { academyMcp, type McpProcess, openSandbox, openServer, type SandboxProcess } from '../processes.ts';
import { findPeers, type Peer, type Peers } from './peers.ts';

// "Who bought the course "Data Analysis with SQL" in the last 7 days?" An agent is scripted for each server: it makes the
// calls of the best way that the server's tools have, and reads every answer.

const course = 'Data Analysis with SQL';
const bounds = { created_after: '2026-06-23T12:00:00Z', created_before: '2026-06-30T12:00:00Z' };
/** Orders whose money was received. */
const statuses = ['paid', 'wallet_executed'];

interface Read {
  readonly name: string;
  readonly list: number;
  readonly answers: readonly number[];
  readonly buyers: ReadonlySet<string>;
}

const order = z.object({
  amount: z.string(),
  user_email: z.string(),
  courses: z.array(z.object({ title: z.string() })),
});

/** A cut list ends with a note in place of an order. */
const orderPage = z.object({
  orders: z.array(z.union([order, z.looseObject({ _meta: z.string() })])),
  meta: z.object({ total_pages: z.int() }),
});

const isOrder = (entry: object): entry is z.infer<typeof order> => 'user_email' in entry;

function buyersOn(text: string): { buyers: string[]; pages: number } {
  const { orders, meta } = orderPage.parse(JSON.parse(text));
  const bought = orders
    .filter(isOrder)
    .filter(({ amount, courses }) => Number(amount) > 0 && courses.some(({ title }) => title === course));
  return { buyers: bought.map(({ user_email }) => user_email.toLowerCase()), pages: meta.total_pages };
}

const ownAnswer = z.object({
  buyers: z.array(z.object({ email: z.string() })),
  next_cursor: z.string().optional(),
});

async function listTokens(server: McpProcess): Promise<number> {
  const { tools } = z.object({ tools: z.array(z.looseObject({})) }).parse(await server.request('tools/list'));
  const visible = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return visible.reduce((sum, tool) => sum + tokens(JSON.stringify(tool)), 0);
}

async function readOurs(sandbox: SandboxProcess, form: 'text' | 'structured'): Promise<Read> {
  const server = await openServer(academyMcp({ ...sandbox.environment, ACADEMY_RATE_LIMIT: 'off' }));
  const answers: number[] = [];
  const buyers = new Set<string>();
  let args: object | undefined = { product: course, limit: 500, ...bounds };
  while (args !== undefined) {
    const { text, structured } = await server.callTool('find_buyers', args);
    answers.push(tokens(form === 'text' ? text : JSON.stringify(structured)));
    const { buyers: found, next_cursor: cursor } = ownAnswer.parse(structured);
    for (const { email } of found) buyers.add(email.toLowerCase());
    args = cursor === undefined ? undefined : { cursor };
  }
  return { name: `academy-mcp, ${form}`, list: await listTokens(server), answers, buyers };
}

type Call = (tool: 'searchProducts' | 'listOrders', args: object) => Promise<string>;

/** The id of the course, then every order of the week in both statuses with received money. */
async function readOrders(call: Call, pageSize: number | undefined): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  await call('searchProducts', { query: course, product_type: 'course' });
  for (const status of statuses) {
    for (let page = 1, last = 1; page <= last; page += 1) {
      const paging = pageSize === undefined ? {} : { page, per_page: pageSize };
      const { buyers, pages } = buyersOn(await call('listOrders', { status, ...paging, ...bounds }));
      for (const email of buyers) found.add(email);
      last = pageSize === undefined ? 1 : pages;
    }
  }
  return found;
}

/** What an agent of a dynamic server does before its calls: it finds the operations and reads their arguments. */
type Discover = (ask: (tool: string, args: object) => Promise<string>) => Promise<void>;

const paths = { searchProducts: '/api/v1/products', listOrders: '/api/v1/orders' };

const discoverIvotoby: Discover = async (ask) => {
  await ask('list-api-endpoints', {});
  for (const endpoint of Object.values(paths)) await ask('get-api-endpoint-schema', { endpoint });
};

const discoverMcpOpenapi: Discover = async (ask) => {
  await ask('search_operations', { query: 'orders' });
  await ask('search_operations', { query: 'products' });
  for (const tool_name of ['search_products', 'list_orders']) await ask('get_tool_details', { tool_name });
};

interface Script {
  readonly name: string;
  readonly peer: Peer;
  /** Orders on a page. Without it, the API sends each list whole. */
  readonly pageSize?: number;
  readonly discover?: Discover;
  /** Whether operations are called through one tool, with the path as an argument. */
  readonly isInvoked?: boolean;
}

function scriptsFor({ ivotoby, ivotobyDynamic, mcpOpenapi, mcpOpenapiDynamic }: Peers): Script[] {
  const { largestList } = mcpOpenapi;
  return [
    { name: ivotoby.name, peer: ivotoby, pageSize: ivotoby.largestList },
    { name: `${ivotoby.name}, no pages`, peer: ivotoby },
    { name: ivotobyDynamic.name, peer: ivotobyDynamic, pageSize: 100, discover: discoverIvotoby, isInvoked: true },
    { name: mcpOpenapi.name, peer: mcpOpenapi, pageSize: largestList },
    { name: mcpOpenapiDynamic.name, peer: mcpOpenapiDynamic, pageSize: largestList, discover: discoverMcpOpenapi },
    { name: `${mcpOpenapi.name}, pages of 100`, peer: mcpOpenapi, pageSize: 100 },
  ];
}

async function readOther(script: Script, sandbox: SandboxProcess): Promise<Read> {
  const { name, peer, pageSize, discover, isInvoked = false } = script;
  const server = await openServer(peer.launch(sandbox.environment));
  const answers: number[] = [];
  const ask = async (tool: string, args: object) => {
    const { isError, text } = await server.callTool(tool, args);
    if (isError) throw new Error(`${name}: ${text}`);
    answers.push(tokens(text));
    return text;
  };
  await discover?.(ask);
  const call: Call = (operation, args) =>
    isInvoked
      ? ask('invoke-api-endpoint', { endpoint: paths[operation], method: 'GET', params: args })
      : ask(peer.tools[operation], args);
  const buyers = await readOrders(call, pageSize);
  return { name, list: await listTokens(server), answers, buyers };
}

async function trueBuyers(sandbox: SandboxProcess): Promise<number> {
  const lists = statuses.map(async (status) => {
    const query = new URLSearchParams({ status, ...bounds });
    return buyersOn(await sandbox.get(`/api/v1/orders?${query}`)).buyers;
  });
  return new Set((await Promise.all(lists)).flat()).size;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function rowOf({ name, list, answers, buyers }: Read, base: number, truth: number): string[] {
  const all = sum(answers);
  const figures = [answers.length, all, Math.max(...answers), list, list + all].map(count);
  return [name, ratio(all, base), `${buyers.size} of ${truth}`, ...figures];
}

export const genericQuestion: Benchmark = {
  name: 'question',
  title: 'A whole question, beside generic servers',
  run: async () => {
    const sandbox = await openSandbox(['--rate-limit', 'off', '--orders', '20000', '--students', '3000']);
    const truth = await trueBuyers(sandbox);
    const all = [await readOurs(sandbox, 'text'), await readOurs(sandbox, 'structured')];
    for (const script of scriptsFor(await findPeers())) all.push(await readOther(script, sandbox));
    const base = sum(all[0]?.answers ?? []);
    const columns = [
      'Server',
      'Answers, to academy-mcp',
      'Buyers found',
      'Calls',
      'Tokens of the answers',
      'Largest answer',
      'Tokens of the tool list',
      'Together',
    ];
    return {
      tables: [{ columns, rows: all.map((read) => rowOf(read, base, truth)) }],
      notes: [
        `"Who bought ${course} in the last 7 days?" in an academy of 20,000 orders. An agent is scripted for each server, along the best way that its tools have. With academy-mcp: \`find_buyers\` by the title of the course. With the others: the course by its title, then every page of \`listOrders\` of the week, \`paid\` and \`wallet_executed\`; the agent counts the orders of the course with an amount above 0. Without pages, the API sends each list whole: fewer calls, in an answer that few models can read. A dynamic server is first asked for the operations and their arguments. Every agent knows the times that the week begins and ends.`,
        'Without a licence, mcp-openapi shows the first 20 entries of each list: pages of 20 lose nothing, and pages of 100 lose most buyers. Tokens are those of o200k_base. They count what an agent reads once; it reads most of them again at each further call, unless its client caches them.',
      ],
    };
  },
};
