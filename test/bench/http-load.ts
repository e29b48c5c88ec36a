import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import * as z from 'zod';
import type { AtEnd, Benchmark, Table } from './benchmark.ts';
import { count, megabytes, milliseconds, share } from './figures.ts';
import { bundleFloor, memoryOf, openSandbox, plainHttp, program, readLines } from './processes.ts';
import { interleave, median, p95, perSecond, timed } from './statistics.ts';

const clients = 20;
const calls = 4_000;
const rounds = { rounds: 2, warmUps: 1 };

interface Question {
  readonly name: string;
  ask(orderId: string): { name: string; arguments: object; holds: string };
}

const questions: readonly Question[] = [
  {
    name: '`get_account`, 20 clients',
    ask: () => ({ name: 'get_account', arguments: {}, holds: 'subdomain' }),
  },
  {
    name: '`get_order`, a different order each time, 20 clients',
    ask: (orderId) => ({ name: 'get_order', arguments: { order_id: orderId }, holds: orderId }),
  },
];

interface Subject {
  readonly name: string;
  readonly args: readonly string[];
  readonly stateless: boolean;
  readonly modern?: boolean;
  readonly plain?: boolean;
}

const subjectsOn = (plainHttp: string): readonly Subject[] => [
  { name: 'academy-mcp, sessions', args: [program, 'http', '--port', '0'], stateless: false },
  { name: 'plain SDK, sessions', args: [plainHttp], stateless: false, plain: true },
  { name: 'academy-mcp, `--stateless`', args: [program, 'http', '--port', '0', '--stateless'], stateless: true },
  { name: 'plain SDK, stateless', args: [plainHttp, '--stateless'], stateless: true, plain: true },
  { name: 'academy-mcp, 2026-07-28', args: [program, 'http', '--port', '0'], stateless: true, modern: true },
];

/** The metadata that a client of 2026-07-28 sends with every request. */
const modernMeta = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  },
};

const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

interface Server {
  readonly subject: Subject;
  /** One call by one of the clients. Throws if the answer belongs to another call. */
  call(client: number, id: number, asked: ReturnType<Question['ask']>): Promise<void>;
  memory(): ReturnType<typeof memoryOf>;
}

const answered = z.object({ id: z.number(), result: z.object({ content: z.array(z.object({ text: z.string() })) }) });

async function start(subject: Subject, environment: Record<string, string>, atEnd: AtEnd): Promise<Server> {
  const settings = { ...environment, ACADEMY_RATE_LIMIT: 'off', ACADEMY_HTTP_RATE_LIMIT: 'off' };
  const child = spawn(process.execPath, [...subject.args], { env: settings, stdio: ['ignore', 'pipe', 'inherit'] });
  atEnd(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const url = await new Promise<URL>((resolve) => {
    readLines(child.stdout, (line) => resolve(new URL(/http:\S+/.exec(line)?.[0] ?? '')));
  });
  const pool = new Pool(url.origin, { connections: clients });
  atEnd(() => pool.destroy());

  async function post(body: object, more: Record<string, string>) {
    const headers = { ...common, ...more };
    const answer = await pool.request({ method: 'POST', path: '/mcp', headers, body: JSON.stringify(body) });
    return { headers: answer.headers, text: await answer.body.text() };
  }

  async function headersFor(): Promise<Record<string, string>> {
    if (subject.modern) return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' };
    if (subject.stateless) return {};
    const { headers } = await post(initialize, {});
    return { 'mcp-session-id': String(headers['mcp-session-id']) };
  }

  const own = await Promise.all(Array.from({ length: clients }, headersFor));
  return {
    subject,
    call: async (client, id, { holds, ...asked }) => {
      const params = { ...asked, ...(subject.modern ? modernMeta : {}) };
      const headers = { ...own[client], ...(subject.modern ? { 'mcp-name': asked.name } : {}) };
      const { text } = await post({ jsonrpc: '2.0', id, method: 'tools/call', params }, headers);
      const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '');
      const answer = answered.parse(JSON.parse(json));
      const isRight = answer.id === id && answer.result.content.some((part) => part.text.includes(holds));
      if (!isRight) throw new Error(`${subject.name}: a wrong answer`);
    },
    memory: () => memoryOf(child.pid),
  };
}

async function measure(question: Question, servers: readonly Server[], ids: readonly string[]): Promise<Table> {
  let next = 0;
  const results = await interleave(servers, rounds, async (server) => {
    const times: number[] = [];
    const rate = await perSecond(calls, clients, async (index) => {
      next += 1;
      const asked = question.ask(ids[next % ids.length] ?? '');
      times.push(await timed(() => server.call(index % clients, index + 1, asked)));
    });
    return { rate, p95: p95(times) };
  });
  const rateOf = (isFloor: (subject: Subject) => boolean) => {
    const found = results.find(({ subject }) => isFloor(subject.subject));
    return median(found?.samples.map(({ rate }) => rate) ?? []);
  };
  const rows = results.map(({ subject: { subject, memory }, samples }) => {
    const floor = rateOf(({ plain, stateless }) => plain === true && stateless === subject.stateless);
    const rate = median(samples.map((sample) => sample.rate));
    const slowest = median(samples.map((sample) => sample.p95));
    return [subject.name, share(rate, floor), count(rate), milliseconds(slowest), megabytes(memory()?.peak)];
  });
  return { columns: [question.name, 'Of the plain SDK', 'Calls/s', 'p95, ms', 'Peak memory, MB'], rows };
}

export const httpLoad: Benchmark = {
  name: 'http-load',
  title: 'Streamable HTTP',
  run: async (atEnd) => {
    const sandbox = await openSandbox(['--orders', '2000', '--rate-limit', 'off'], atEnd);
    const page = z.object({ orders: z.array(z.object({ id: z.string() })) });
    const { orders } = page.parse(JSON.parse(await sandbox.get('/api/v1/orders?status=all')));
    const servers: Server[] = [];
    const floor = await bundleFloor(plainHttp, atEnd);
    for (const subject of subjectsOn(floor)) servers.push(await start(subject, sandbox.environment, atEnd));
    const ids = orders.map(({ id }) => id);
    const tables: Table[] = [];
    for (const question of questions) tables.push(await measure(question, servers, ids));
    return {
      tables,
      notes: [
        `Each subject answers ${count(calls * (rounds.rounds + rounds.warmUps))} calls of each question, and each answer is checked to belong to its call. The plain SDK has the same tools with the same schemas on \`@modelcontextprotocol/sdk\`, with \`fetch\`, both forms of an answer and JSON answers, which are its fastest; it has no guards, no limits and no sanitizing of text. Concurrent identical reads share one request of academy-mcp, as the first table shows; in the second, no two are identical. Client, server and sandbox share the cores.`,
      ],
    };
  },
};
