import * as z from 'zod';
import { createCaller, modernCall } from '../support/http-server.ts';
import { start } from '../support/program.ts';
import type { Benchmark, Table } from './benchmark.ts';
import { count, megabytes, milliseconds, ratio, share } from './figures.ts';
import { addressOf, bundleFloor, dataEnd, memoryOf, openSandbox, plainHttp } from './processes.ts';
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

interface Server {
  readonly subject: Subject;
  /** One call by one of the clients. Throws if the answer belongs to another call. */
  call(client: number, id: number, asked: ReturnType<Question['ask']>): Promise<void>;
  memory(): ReturnType<typeof memoryOf>;
}

const texts = z.object({ content: z.array(z.object({ text: z.string() })) });

async function open(subject: Subject, environment: Record<string, string>): Promise<Server> {
  const settings = { ...environment, ACADEMY_RATE_LIMIT: 'off', ACADEMY_HTTP_RATE_LIMIT: 'off' };
  const { file, args, stateless, modern } = subject;
  const running = start(args, settings, { stderr: 'inherit', ...(file !== undefined && { file }) });
  const caller = createCaller(await addressOf(running), clients);
  const sessions = await Promise.all(Array.from({ length: clients }, () => (stateless ? {} : caller.open())));
  return {
    subject,
    call: async (client, id, { name, arguments: args, holds }) => {
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

const sizes = [10, 2_000, 20_000, 200_000];
const requestsARound = 25;

const day = 86_400_000;
const daysBeforeEnd = (days: number) => new Date(Date.parse(dataEnd) - days * day).toISOString();

const firstPage = z.object({
  orders: z.array(z.object({ user_email: z.string() })),
  meta: z.object({ total_pages: z.int() }),
});

type Academy = Awaited<ReturnType<typeof openAcademy>>;

type Query = (academy: Academy) => Record<string, string>;

const period = { created_after: daysBeforeEnd(500), created_before: daysBeforeEnd(100) };

const queries: readonly [string, Query][] = [
  ['of every status', () => ({ status: 'all' })],
  ['paid', () => ({ status: 'paid' })],
  ['between two times', () => ({ status: 'all', ...period })],
  ['of one buyer', ({ buyer }) => ({ status: 'all', user_email: buyer })],
  ['of one buyer, paid, between two times', ({ buyer }) => ({ status: 'paid', user_email: buyer, ...period })],
  ['the last page', ({ lastPage }) => ({ status: 'all', page: String(lastPage) })],
];

const pathOf = (query: Record<string, string>) =>
  `/api/v1/orders?${new URLSearchParams({ page: '1', per_page: '100', ...query })}`;

async function openAcademy(size: number) {
  const sandbox = await openSandbox(['--orders', String(size), '--rate-limit', 'off']);
  const { orders, meta } = firstPage.parse(JSON.parse(await sandbox.get(pathOf({ status: 'all' }))));
  return { size, sandbox, buyer: orders[0]?.user_email ?? '', lastPage: meta.total_pages };
}

async function latencies({ sandbox }: Academy, path: string): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < requestsARound; index += 1) samples.push(await timed(() => sandbox.get(path)));
  return samples;
}

async function pageRow(name: string, query: Query, academies: readonly Academy[]): Promise<string[]> {
  const results = await interleave(academies, { rounds: 4, warmUps: 1 }, (academy) =>
    latencies(academy, pathOf(query(academy))),
  );
  const samples = results.map((result) => result.samples.flat());
  const [, thousands = Number.NaN, , most = Number.NaN] = samples.map(median);
  return [
    name,
    ratio(most, thousands),
    ...samples.map((all) => `${milliseconds(median(all))} / ${milliseconds(p95(all))}`),
  ];
}

function costs(academies: readonly Academy[]): Table {
  const [smallest] = academies;
  const rows = academies.map(({ size, sandbox }) => [
    count(size),
    ratio(sandbox.readyMs, smallest?.sandbox.readyMs ?? Number.NaN),
    milliseconds(sandbox.readyMs),
    megabytes(sandbox.memory()?.now),
    megabytes(sandbox.memory()?.peak),
  ]);
  return { columns: ['Orders', 'To 10 orders', 'Ready after, ms', 'Memory, MB', 'Peak, MB'], rows };
}

export const sandboxPages: Benchmark = {
  name: 'sandbox-pages',
  title: 'The sandbox alone',
  run: async () => {
    const academies: Academy[] = [];
    for (const size of sizes) academies.push(await openAcademy(size));
    const rows: string[][] = [];
    for (const [name, query] of queries) rows.push(await pageRow(name, query, academies));
    const columns = ['A page of 100 orders', '200,000 to 2,000', ...sizes.map((size) => `of ${count(size)}, ms`)];
    return {
      tables: [{ columns, rows }, costs(academies)],
      notes: [
        'Median / p95 over HTTP, one request after another. Each page reads every order: target under 20 ms with 200,000 orders. Each academy has 500 students: a buyer has about 4 of 2,000 orders and 400 of 200,000, so the page of one buyer is short in the smaller academies, and all pages are short with 10 orders. Memory is measured after all requests.',
      ],
    };
  },
};
