import type { AtEnd, Plot, Table } from './benchmark.ts';
import { milliseconds } from './figures.ts';
import { type McpProcess, openServer } from './mcp-process.ts';
import { findPeers, type OperationName } from './peers/peers.ts';
import type { SandboxProcess } from './sandbox-process.ts';
import { interleave, median, p95, timed } from './statistics.ts';

const sequentialCalls = 150;

/** One question, for the tool and for the API itself; `index` makes each call different. */
export interface Question {
  readonly name: string;
  readonly tool: string;
  readonly operation: OperationName;
  readonly calls: number;
  args(index: number): object;
  path(index: number): string;
}

/** One way to ask the API. Each reads the complete answer. */
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

export interface Ways {
  readonly direct: Way;
  readonly tool: Way;
  readonly peers: readonly Way[];
}

export async function openWays(server: McpProcess, sandbox: SandboxProcess, atEnd: AtEnd): Promise<Ways> {
  const { ivotoby, mcpOpenapi } = await findPeers();
  const peers: Way[] = [];
  for (const peer of [ivotoby, mcpOpenapi]) {
    const opened = await openServer(peer.launch(sandbox.environment), atEnd);
    peers.push(throughTool(peer.name, opened, ({ operation }) => peer.tools[operation]));
  }
  return {
    direct: { name: 'directly', ask: async (question, index) => JSON.parse(await sandbox.get(question.path(index))) },
    tool: throughTool('academy-mcp', server, ({ tool }) => tool),
    peers,
  };
}

async function latencies(question: Question, { ask }: Way): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < sequentialCalls; index += 1) samples.push(await timed(() => ask(question, index)));
  return samples;
}

export interface Latency {
  readonly question: string;
  readonly name: string;
  readonly added: number;
  readonly median: number;
  readonly p95: number;
}

export async function latenciesOf(question: Question, { direct, tool, peers }: Ways): Promise<Latency[]> {
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

export function oneByOne(measured: readonly Latency[]): Table {
  const rows = measured.map(({ question, name, added, ...times }) => [
    question,
    name,
    name === 'directly' ? '' : `+ ${milliseconds(added)}`,
    milliseconds(times.median),
    milliseconds(times.p95),
  ]);
  return { columns: ['Sequential calls', 'Through', 'Added, ms', 'Median, ms', 'p95, ms'], rows };
}

export function plotOf(measured: readonly Latency[]): Plot {
  const shown = measured.filter(({ question, name }) => question.startsWith('`get_order`') && name !== 'directly');
  const bars = shown.map(({ name, added }) => ({ label: name, value: added, figure: `${milliseconds(added)} ms` }));
  return { file: 'call-overhead', title: 'Milliseconds added to one request for an order', bars };
}
