import type { Bar, Benchmark } from '../benchmark.ts';
import { count, ratio } from '../figures.ts';
import { openSandbox, type SandboxProcess } from '../sandbox-process.ts';
import { bounds, buyersOn, course, type Read, readOther, readOurs, scriptsFor, statuses } from './agents.ts';
import { findPeers } from './peers.ts';

/** Counted over the API's own list of all orders of the week. */
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

function barOf({ name, answers, buyers }: Read, truth: number): Bar {
  const calls = answers.length === 1 ? '1 call' : `${answers.length} calls`;
  const value = sum(answers);
  return { label: name, value, figure: `${count(value)}, ${calls}, ${buyers.size} of ${truth}` };
}

export const genericQuestion: Benchmark = {
  name: 'question',
  title: 'A whole question, beside generic servers',
  run: async (atEnd) => {
    const sandbox = await openSandbox(['--rate-limit', 'off', '--orders', '20000', '--students', '3000'], atEnd);
    const truth = await trueBuyers(sandbox);
    const all = [await readOurs(sandbox, 'text', atEnd), await readOurs(sandbox, 'structured', atEnd)];
    for (const script of scriptsFor(await findPeers())) all.push(await readOther(script, sandbox, atEnd));
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
    const title = `Tokens to read, calls and buyers found: who bought ${course} in the last 7 days`;
    return {
      plots: [{ file: 'question', title, bars: all.map((read) => barOf(read, truth)) }],
      tables: [{ columns, rows: all.map((read) => rowOf(read, base, truth)) }],
      notes: [
        `"Who bought ${course} in the last 7 days?" in an academy of 20,000 orders. An agent is scripted for each server, along the best way that its tools have. With academy-mcp: \`find_buyers\` by the title of the course. With the others: the course by its title, then every page of \`listOrders\` of the week, \`paid\` and \`wallet_executed\`; the agent counts the orders of the course with an amount above 0. Without pages, the API sends each list whole: fewer calls, in an answer that few models can read. A dynamic server is first asked for the operations and their arguments. Every agent knows the times that the week begins and ends.`,
        'Without a licence, mcp-openapi shows the first 20 entries of each list: pages of 20 lose nothing, and pages of 100 lose most buyers. Tokens are those of o200k_base. They count what an agent reads once; it reads most of them again at each further call, unless its client caches them.',
      ],
    };
  },
};
