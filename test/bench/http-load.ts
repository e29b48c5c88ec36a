import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import * as z from 'zod';
import type { AtEnd, Benchmark } from './benchmark.ts';
import { count, megabytes, milliseconds, share } from './figures.ts';
import { readLines } from './lines.ts';
import { memoryOf } from './memory.ts';
import { plainHttp, program } from './programs.ts';
import { openSandbox } from './sandbox-process.ts';
import { interleave, median, p95, perSecond, timed } from './statistics.ts';

const clients = 20;
const calls = 2_000;
const rounds = { rounds: 3, warmUps: 1 };

interface Subject {
  readonly name: string;
  readonly args: readonly string[];
  readonly stateless: boolean;
  readonly modern?: boolean;
}

const subjects: readonly Subject[] = [
  { name: 'academy-mcp, sessions', args: [program, 'http', '--port', '0'], stateless: false },
  { name: 'plain SDK, sessions', args: [plainHttp], stateless: false },
  { name: 'academy-mcp, `--stateless`', args: [program, 'http', '--port', '0', '--stateless'], stateless: true },
  { name: 'plain SDK, stateless', args: [plainHttp, '--stateless'], stateless: true },
  { name: 'academy-mcp, 2026-07-28', args: [program, 'http', '--port', '0'], stateless: true, modern: true },
];

/** What a client of 2026-07-28 sends with every request. */
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
  /** One call of get_order, by one of the clients. Throws for an answer that is not about that order. */
  call(client: number, id: number, orderId: string): Promise<void>;
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
    if (subject.modern)
      return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'get_order' };
    if (subject.stateless) return {};
    const { headers } = await post(initialize, {});
    return { 'mcp-session-id': String(headers['mcp-session-id']) };
  }

  const own = await Promise.all(Array.from({ length: clients }, headersFor));
  return {
    subject,
    call: async (client, id, orderId) => {
      const params = { name: 'get_order', arguments: { order_id: orderId }, ...(subject.modern ? modernMeta : {}) };
      const { text } = await post({ jsonrpc: '2.0', id, method: 'tools/call', params }, own[client] ?? {});
      const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '');
      const answer = answered.parse(JSON.parse(json));
      const isRight = answer.id === id && answer.result.content.some((part) => part.text.includes(orderId));
      if (!isRight) throw new Error(`${subject.name}: a wrong answer`);
    },
    memory: () => memoryOf(child.pid),
  };
}

export const httpLoad: Benchmark = {
  title: 'Streamable HTTP',
  run: async (atEnd) => {
    const sandbox = await openSandbox(['--orders', '2000', '--rate-limit', 'off'], atEnd);
    const page = z.object({ orders: z.array(z.object({ id: z.string() })) });
    const { orders } = page.parse(JSON.parse(await sandbox.get('/api/v1/orders?status=all')));
    const servers: Server[] = [];
    for (const subject of subjects) servers.push(await start(subject, sandbox.environment, atEnd));
    let next = 0;
    const results = await interleave(servers, rounds, async (server) => {
      const times: number[] = [];
      const rate = await perSecond(calls, clients, async (index) => {
        next += 1;
        const { id = '' } = orders[next % orders.length] ?? {};
        times.push(await timed(() => server.call(index % clients, index + 1, id)));
      });
      return { rate, p95: p95(times) };
    });
    const rates = new Map(
      results.map(({ subject, samples }) => [subject.subject.name, median(samples.map(({ rate }) => rate))]),
    );
    const rateOf = (name: string) => rates.get(name) ?? Number.NaN;
    const floors = [rateOf('plain SDK, sessions'), rateOf('plain SDK, stateless')] as const;
    const rows = results.map(({ subject: server, samples }) => {
      const { name, stateless } = server.subject;
      const rate = rateOf(name);
      const slowest = median(samples.map((sample) => sample.p95));
      return [
        name,
        share(rate, stateless ? floors[1] : floors[0]),
        count(rate),
        milliseconds(slowest),
        megabytes(server.memory()?.peak),
      ];
    });
    return {
      tables: [{ columns: [`${clients} clients`, 'Of the plain SDK', 'Calls/s', 'p95, ms', 'Peak memory, MB'], rows }],
      notes: [
        `Each subject answers ${count(calls * rounds.rounds)} calls of \`get_order\`, each about another order, and each answer is checked to be about it. The plain SDK is 36 tools on \`@modelcontextprotocol/sdk\` with JSON answers, its fastest, without any guard, check or limit. Client, server and sandbox share the cores.`,
      ],
    };
  },
};
