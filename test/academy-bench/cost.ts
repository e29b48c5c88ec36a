import { count, tokens } from '../bench/figures.ts';
import { findPeers } from '../bench/peers/peers.ts';
import { type McpProcess, openServer } from '../bench/processes.ts';
import type { Row } from '../support/academy.ts';
import { inScope } from '../support/at-end.ts';
import { openWorld, type Raw } from './academy.ts';
import { play } from './prove.ts';
import { kinds, type Task, truthOf } from './task.ts';

// What can be shown without a model: the cost of a scripted right play with our tools, and of the requests that somebody with
// the bare API needs for the same, one tool call each, through a server that makes its tools from our OpenAPI document.

interface ProxyTool {
  readonly name: string;
  readonly httpMethod: string;
  readonly originalPath: string;
}

interface Spent {
  calls: number;
  tokens: number;
  requests: number;
}

function callOf(tools: readonly ProxyTool[], [method, target, body]: Raw): { name: string; args: Row } {
  const [path = '', query = ''] = target.split('?');
  for (const { name, httpMethod, originalPath } of tools) {
    const names = [...originalPath.matchAll(/\{(\w+)\}|:(\w+)/g)].map(([, one, other]) => one ?? other ?? '');
    const pattern = new RegExp(`^${originalPath.replace(/\{\w+\}|:\w+/g, '([^/]+)')}$`);
    const values = httpMethod === method ? pattern.exec(path) : null;
    if (values === null) continue;
    const params = Object.fromEntries(names.map((key, index) => [key, values[index + 1]]));
    return { name, args: { ...params, ...Object.fromEntries(new URLSearchParams(query)), ...body } };
  }
  throw new Error(`no tool for ${method} ${path}`);
}

/** Plays the reads and writes of a task through the proxy. Lists with pages are read page by page. */
const proxyCost = (task: Task) => inScope(() => costOf(task));

async function costOf(task: Task): Promise<Spent> {
  const arrange = task.arrangement?.arrange;
  const world = await openWorld(arrange === undefined ? {} : { arrange });
  const environment = { ACADEMY_BASE_URL: world.url, ACADEMY_API_KEY: world.apiKey };
  const server = await openServer((await findPeers()).ivotoby.launch(environment));
  const { tools } = (await server.request('tools/list')) as { tools: ProxyTool[] };
  const spent: Spent = { calls: 0, tokens: 0, requests: 0 };
  const { academy, goal } = await truthOf(task);
  for (const read of task.reads?.(academy) ?? []) {
    if (typeof read === 'string') await readAll(server, tools, read, spent);
    else await ask(server, tools, read, spent);
  }
  for (const raw of task.writes?.(academy) ?? []) await ask(server, tools, raw, spent);
  const missing = task.arrangement?.others === undefined && goal.join() !== world.changes().join();
  if (missing) throw new Error(`${task.name}: the proxy does not reach the goal: ${world.changes().join()}`);
  return { ...spent, requests: world.requests.length };
}

async function ask(server: McpProcess, tools: readonly ProxyTool[], raw: Raw, spent: Spent): Promise<string> {
  const { name, args } = callOf(tools, raw);
  const { text } = await server.callTool(name, args);
  spent.calls += 1;
  spent.tokens += tokens(text);
  return text;
}

async function readAll(server: McpProcess, tools: readonly ProxyTool[], path: string, spent: Spent): Promise<void> {
  const isPaged = /\/(orders|posts)\?/.test(path);
  for (let page = 1, last = 1; page <= last; page += 1) {
    const target = isPaged ? `${path}&page=${page}&per_page=100` : path;
    const answer = await ask(server, tools, ['GET', target], spent);
    if (isPaged) last = Number(/"total_pages": ?(\d+)/.exec(answer)?.[1] ?? 1);
  }
}

export async function costTable(tasks: readonly Task[]): Promise<string> {
  const rows: { name: string; kind: string; figures: number[] }[] = [];
  for (const task of tasks) {
    const ours = await play(task, task.oracle);
    const proxy = await proxyCost(task);
    const own = [ours.calls, ours.requests, tokens(ours.texts), tokens(ours.structured)];
    rows.push({ name: task.name, kind: task.kind, figures: [...own, proxy.calls, proxy.requests, proxy.tokens] });
  }
  const sumOf = (name: string, some: typeof rows) => ({
    name: `${name}, ${some.length} tasks`,
    figures: columns.slice(1).map((_, index) => some.reduce((sum, { figures }) => sum + (figures[index] ?? 0), 0)),
  });
  const ofKinds = kinds.map((kind) =>
    sumOf(
      kind,
      rows.filter((row) => row.kind === kind),
    ),
  );
  const lines = [...rows, ...ofKinds, sumOf('all', rows)].map(({ name, figures }) => [name, ...figures.map(count)]);
  return [columns, columns.map((_, index) => (index === 0 ? '---' : '--:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const columns = 'Task|Calls|Requests|Tokens, text|Tokens, structured|Proxy: calls|Requests|Tokens'.split('|');
