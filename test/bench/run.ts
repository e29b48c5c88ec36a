// npm run bench: measures the built program and prints the tables. With the names of benchmarks, runs only those. With
// `--write` also writes docs/internals/performance.md and the plots: after a run of some, only their sections.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { inScope } from '../support/at-end.ts';
import { answerSizes } from './answer-sizes.ts';
import type { Benchmark, Plot } from './benchmark.ts';
import { callOverhead } from './call-overhead.ts';
import { drawPlot, introduction, section } from './page.ts';
import { genericLimit } from './peers/limit.ts';
import { genericQuestion } from './peers/question.ts';
import { startUp } from './start-up.ts';
import { journal, mirror } from './stores.ts';
import { httpLoad } from './throughput.ts';
import { toolListSize } from './tool-list.ts';
import { viewFigures } from './views.ts';

const benchmarks: readonly Benchmark[] = [
  startUp,
  toolListSize,
  genericQuestion,
  answerSizes,
  callOverhead,
  journal,
  genericLimit,
  httpLoad,
  viewFigures,
  mirror,
];

const isWrite = process.argv.includes('--write');
const names = process.argv.slice(2).filter((word) => word !== '--write');
const known = benchmarks.map(({ name }) => name);
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`no benchmark ${unknown}; the benchmarks are ${known.join(', ')}`);

const parts: string[] = [];
const plots: Plot[] = [];
function tell(part: string): void {
  parts.push(part);
  process.stdout.write(`${part}\n\n`);
}

/** The page with these sections in place of those of the same title; a new one goes to its end. */
function withSections(page: string, sections: readonly string[]): string {
  const old = page.trimEnd().split(/\n\n(?=## )/);
  const titleOf = (text: string) => text.split('\n', 1)[0];
  const isNew = (text: string) => old.every((one) => titleOf(one) !== titleOf(text));
  const kept = old.map((one) => sections.find((text) => titleOf(text) === titleOf(one)) ?? one);
  return `${[...kept, ...sections.filter(isNew)].join('\n\n')}\n`;
}

async function writePage(): Promise<void> {
  const images = new URL('../../docs/images/', import.meta.url);
  await mkdir(images, { recursive: true });
  for (const plot of plots) await writeFile(new URL(`${plot.file}.svg`, images), drawPlot(plot));
  const file = new URL('../../docs/internals/performance.md', import.meta.url);
  const [introduced = '', ...sections] = parts;
  const page = names.length === 0 ? introduced : await readFile(file, 'utf8');
  await writeFile(file, withSections(page, sections));
}

async function runBenchmark(benchmark: Benchmark): Promise<void> {
  const started = performance.now();
  const outcome = await inScope(benchmark.run);
  plots.push(...(outcome.plots ?? []));
  tell(section(benchmark.title, outcome));
  process.stderr.write(`${benchmark.name} took ${Math.round((performance.now() - started) / 1000)} s.\n`);
}

tell(introduction(new Date()));
for (const benchmark of benchmarks) {
  if (names.length === 0 || names.includes(benchmark.name)) await runBenchmark(benchmark);
}
if (isWrite) await writePage();
