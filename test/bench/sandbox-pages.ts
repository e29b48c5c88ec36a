import * as z from 'zod';
import type { AtEnd, Benchmark, Table } from './benchmark.ts';
import { count, megabytes, milliseconds, ratio } from './figures.ts';
import { dataEnd, openSandbox, type SandboxProcess } from './processes.ts';
import { interleave, median, p95, timed } from './statistics.ts';

const sizes = [10, 2_000, 20_000, 200_000];
const requestsARound = 25;

const day = 86_400_000;
const daysBeforeEnd = (days: number) => new Date(Date.parse(dataEnd) - days * day).toISOString();

const firstPage = z.object({
  orders: z.array(z.object({ user_email: z.string() })),
  meta: z.object({ total_pages: z.int() }),
});

interface Academy {
  readonly size: number;
  readonly sandbox: SandboxProcess;
  readonly buyer: string;
  readonly lastPage: number;
}

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

async function openAcademy(size: number, atEnd: AtEnd): Promise<Academy> {
  const sandbox = await openSandbox(['--orders', String(size), '--rate-limit', 'off'], atEnd);
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
  run: async (atEnd) => {
    const academies: Academy[] = [];
    for (const size of sizes) academies.push(await openAcademy(size, atEnd));
    const rows: string[][] = [];
    for (const [name, query] of queries) rows.push(await pageRow(name, query, academies));
    const columns = ['A page of 100 orders', '200,000 to 2,000', ...sizes.map((size) => `of ${count(size)}, ms`)];
    return {
      tables: [{ columns, rows }, costs(academies)],
      notes: [
        'Median / p95 over HTTP, one request after another. Target: under 5 ms with 200,000 orders. Each academy has 500 students: a buyer has about 4 of 2,000 orders and 400 of 200,000, so the page of one buyer is short in the smaller academies, and all pages are short with 10 orders. Memory is measured after all requests.',
      ],
    };
  },
};
