import { availableParallelism, cpus } from 'node:os';
import { codeBlock, table } from '../../scripts/docs/markdown.ts';
import type { Outcome } from './benchmark.ts';

/** Where and when, without which no time means anything. */
export function introduction(date: Date): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  return [
    '# Performance',
    'Written by the measurements in `test/bench/`; to repeat them, and to write this page anew:',
    codeBlock('sh needs=time', 'npm run bench\nnpm run bench -- --write'),
    `${date.toISOString().slice(0, 10)}, Node ${process.versions.node}, ${availableParallelism()} cores (${model}).`,
    'Milliseconds differ from machine to machine and from hour to hour: compare the ratios. What stands in one table was measured in turns, in one run. A real academy is tens to hundreds of milliseconds away, so that most of the times here vanish beside it; what counts for a user are the size of the answers, the number of requests and the start-up.',
  ].join('\n\n');
}

export function section(title: string, { tables, notes }: Outcome): string {
  return [`## ${title}`, ...tables.map(({ columns, rows }) => table(columns, rows)), ...notes].join('\n\n');
}
