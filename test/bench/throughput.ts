import * as z from 'zod';
import { createCaller, modernCall } from '../support/http-server.ts';
import { start } from '../support/program.ts';
import type { Benchmark, Table } from './benchmark.ts';
import { count, megabytes, milliseconds, share } from './figures.ts';
import { addressOf, bundleFloor, memoryOf, openSandbox, plainHttp } from './processes.ts';
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
  /** Default: ours. */
  readonly file?: string;
  readonly args: readonly string[];
  readonly stateless: boolean;
  readonly modern?: boolean;
  readonly plain?: boolean;
}

const http = ['http', '--port', '0'];

const subjectsOn = (plainHttp: string): readonly Subject[] => [
  { name: 'academy-mcp, sessions', args: http, stateless: false },
  { name: 'plain SDK, sessions', file: plainHttp, args: [], stateless: false, plain: true },
  { name: 'academy-mcp, `--stateless`', args: [...http, '--stateless'], stateless: true },
  { name: 'plain SDK, stateless', file: plainHttp, args: ['--stateless'], stateless: true, plain: true },
  { name: 'academy-mcp, 2026-07-28', args: http, stateless: true, modern: true },
];

type Server = Awaited<ReturnType<typeof open>>;

const texts = z.object({ content: z.array(z.object({ text: z.string() })) });

async function open(subject: Subject, environment: Record<string, string>) {
  const settings = { ...environment, ACADEMY_RATE_LIMIT: 'off', ACADEMY_HTTP_RATE_LIMIT: 'off' };
  const { file, args, stateless, modern } = subject;
  const running = start(args, settings, { stderr: 'inherit', ...(file !== undefined && { file }) });
  const caller = createCaller(await addressOf(running), clients);
  const sessions = await Promise.all(Array.from({ length: clients }, () => (stateless ? {} : caller.open())));
  return {
    subject,
    /** One call by one of the clients. Throws if the answer belongs to another call. */
    call: async (client: number, id: number, { name, arguments: args, holds }: ReturnType<Question['ask']>) => {
      const { message: asked, headers } = modernCall(name, { ...args });
      const { message } = await (modern
        ? caller.send({ ...asked, id }, headers)
        : caller.call(id, name, args, sessions[client]));
      const { content } = texts.parse(message?.result);
      const isRight = message?.id === id && content.some((part) => part.text.includes(holds));
      if (!isRight) throw new Error(`${subject.name}: a wrong answer`);
    },
    memory: () => memoryOf(running.child.pid),
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
  run: async () => {
    const sandbox = await openSandbox(['--orders', '2000', '--rate-limit', 'off']);
    const page = z.object({ orders: z.array(z.object({ id: z.string() })) });
    const { orders } = page.parse(JSON.parse(await sandbox.get('/api/v1/orders?status=all')));
    const servers: Server[] = [];
    const floor = await bundleFloor(plainHttp);
    for (const subject of subjectsOn(floor)) servers.push(await open(subject, sandbox.environment));
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
