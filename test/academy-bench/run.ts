import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { costTable } from './cost.ts';
import { agentPlayer, modelPlayer, type Player, type Run, runTask } from './players.ts';
import { proveAll } from './prove.ts';
import { pageOf, type Report } from './report.ts';
import { scoreByHand, startByHand } from './servers.ts';
import type { Task } from './task.ts';
import { taskOf, tasks } from './tasks/index.ts';

// npm run academy-bench -- [TASK …] --model NAME --base-url URL | --agent "COMMAND" [--server S] [--runs N] [--out FOLDER]
// npm run academy-bench -- prove | cost | start TASK | score TASK --answer FILE
// The key of an endpoint is in BENCH_API_KEY. docs/internals/academy-bench.md

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    'base-url': { type: 'string' },
    agent: { type: 'string' },
    server: { type: 'string', default: 'ours' },
    runs: { type: 'string', default: '1' },
    out: { type: 'string', default: 'build/academy-bench' },
    answer: { type: 'string' },
  },
});

const print = (text: string) => void process.stdout.write(`${text}\n`);

const chosen = (names: readonly string[]): readonly Task[] => (names.length === 0 ? tasks : names.map(taskOf));

async function prove(names: readonly string[]): Promise<void> {
  const started = performance.now();
  const tried = chosen(names);
  const { failures, plays, saboteurs } = await proveAll(tried);
  for (const failure of failures) print(failure);
  const seconds = Math.round((performance.now() - started) / 1000);
  const result = failures.length === 0 ? 'proved' : `${failures.length} FAILURES`;
  print(`academy-bench: ${result}: ${tried.length} tasks, ${saboteurs} saboteurs, ${plays} plays in ${seconds} s`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

function player(): { name: string; play: Player } {
  const { model, agent, 'base-url': baseURL } = values;
  if (agent !== undefined) return { name: agent, play: agentPlayer(agent) };
  if (model === undefined || baseURL === undefined) throw new Error('give --model with --base-url, or --agent');
  return { name: model, play: modelPlayer({ model, baseURL, apiKey: process.env.BENCH_API_KEY }) };
}

async function measure(names: readonly string[]): Promise<void> {
  const { name, play } = player();
  const n = Number(values.runs);
  if (!Number.isInteger(n) || n < 1) throw new Error('--runs takes a whole number from 1');
  const rated: { task: Report['tasks'][number]['task']; runs: Run[] }[] = [];
  for (const task of chosen(names)) {
    const runs: Run[] = [];
    while (runs.length < n) runs.push(await runTask(task, play, values.server));
    print(`${task.name}: ${runs.map(({ reward }) => reward).join(' ')}`);
    rated.push({ task: { name: task.name, kind: task.kind }, runs });
  }
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const date = new Date().toISOString().slice(0, 10);
  const report: Report = { player: name, server: values.server, date, commit, runs: n, tasks: rated };
  mkdirSync(values.out, { recursive: true });
  const file = join(values.out, `${date}-${name}-${values.server}`.replaceAll(/[^\w.-]+/g, '-').slice(0, 120));
  writeFileSync(`${file}.json`, JSON.stringify(report, null, 2));
  writeFileSync(`${file}.md`, pageOf(report));
  print(`\n${pageOf(report)}\n${file}.json`);
}

const [command, ...names] = positionals;
if (command === 'prove') await prove(names);
else if (command === 'cost') print(await costTable(chosen(names)));
else if (command === 'start') await startByHand(taskOf(names[0] ?? ''), values.server);
else if (command === 'score') print(await scoreByHand(names[0] ?? '', values.answer ?? '/dev/stdin'));
else await measure(positionals);
