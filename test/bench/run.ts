// npm run bench: measures the built program and prints the tables; with `--write`, also writes docs/performance.md.

import { writeFile } from 'node:fs/promises';
import { answerSizes } from './answer-sizes.ts';
import { type Benchmark, outcomeOf } from './benchmark.ts';
import { callOverhead } from './call-overhead.ts';
import { httpLoad } from './http-load.ts';
import { limiter } from './limiter.ts';
import { introduction, section } from './page.ts';
import { sandboxPages } from './sandbox-pages.ts';
import { startUp } from './start-up.ts';
import { toolListSize } from './tool-list.ts';
import { wholeAnswers } from './whole-answers.ts';

const benchmarks: readonly Benchmark[] = [
  startUp,
  toolListSize,
  answerSizes,
  wholeAnswers,
  callOverhead,
  httpLoad,
  sandboxPages,
  limiter,
];

const parts: string[] = [];
function tell(part: string): void {
  parts.push(part);
  process.stdout.write(`${part}\n\n`);
}

const started = performance.now();
tell(introduction(new Date()));
for (const benchmark of benchmarks) tell(section(benchmark.title, await outcomeOf(benchmark)));
process.stdout.write(`Took ${Math.round((performance.now() - started) / 1000)} s.\n`);
if (process.argv.includes('--write')) {
  await writeFile(new URL('../../docs/performance.md', import.meta.url), `${parts.join('\n\n')}\n`);
}
