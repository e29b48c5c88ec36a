import * as z from 'zod';
import type { Benchmark } from './benchmark.ts';
import { count, share, tokens } from './figures.ts';
import { academyMcp, type McpProcess, openSandbox, openServer, type SandboxProcess } from './processes.ts';

const bounds = { created_after: '2026-06-23T12:00:00Z', created_before: '2026-06-30T12:00:00Z' };

interface Question {
  readonly name: string;
  readonly tool: string;
  readonly args: object;
}

const questions: readonly Question[] = [
  {
    name: 'buyers of course 7',
    tool: 'find_buyers',
    args: { product: '7', product_type: 'course', limit: 500, ...bounds },
  },
  { name: 'sales by product', tool: 'sales_report', args: bounds },
  { name: 'sales by day', tool: 'sales_report', args: { group_by: 'day', ...bounds } },
];

const page = z.object({ orders: z.array(z.unknown()) });
const spent = z.object({ coverage: z.object({ requests_spent: z.int(), complete: z.literal(true) }) });

/** The pages that an agent reads to answer such a question from `list_orders`, in both statuses with received money. */
async function tokensByHand(server: McpProcess) {
  let [read, requests] = [0, 0];
  for (const status of ['paid', 'wallet_executed']) {
    for (let number = 1, left = true; left; number += 1) {
      const args = { status, per_page: 100, page: number, ...bounds };
      const { text, structured } = await server.callTool('list_orders', args);
      read += tokens(text);
      requests += 1;
      left = page.safeParse(structured).data?.orders.length === 100;
    }
  }
  return { read, requests };
}

async function tokensOfRaw(sandbox: SandboxProcess): Promise<number> {
  const query = new URLSearchParams({ status: 'all', ...bounds });
  return tokens(await sandbox.get(`/api/v1/orders?${query}`));
}

export const wholeAnswers: Benchmark = {
  name: 'whole-answers',
  title: 'Whole answers',
  run: async () => {
    const sandbox = await openSandbox(['--rate-limit', 'off', '--orders', '20000', '--students', '3000']);
    const server = await openServer(academyMcp({ ...sandbox.environment, ACADEMY_RATE_LIMIT: 'off' }));
    const byHand = await tokensByHand(server);
    const rows: string[][] = [];
    for (const { name, tool, args } of questions) {
      const { text, structured } = await server.callTool(tool, args);
      const [inText, inJson] = [tokens(text), tokens(JSON.stringify(structured))];
      const requests = spent.parse(structured).coverage.requests_spent;
      const cells = [`\`${tool}\`: ${name}`, share(inText, byHand.read), share(inJson, byHand.read)];
      rows.push([...cells, count(requests), count(inText), count(inJson)]);
    }
    const columns = [
      'Question',
      'Text, relative to by hand',
      'Structured, relative to by hand',
      'Requests',
      'Tokens, text',
      'Tokens, structured',
    ];
    const raw = count(await tokensOfRaw(sandbox));
    return {
      tables: [{ columns, rows }],
      notes: [
        `A week of an academy with 20,000 orders. By hand: the ${byHand.requests} pages of \`list_orders\` that an agent reads to count for itself, ${count(byHand.read)} tokens of text; as the API's own JSON, in one answer, the same orders are ${raw} tokens. Further rows of an answer, by its cursor, need no request to the API: its pages are cached for 5 minutes. Tokens are those of o200k_base; each model has its own.`,
      ],
    };
  },
};
