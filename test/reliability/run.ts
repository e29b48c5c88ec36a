import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Figure } from './figure.ts';
import { figures } from './figures/index.ts';
import { type Measured, reportOf } from './report.ts';

// npm run reliability [-- F1 F7] [--seed N] [--short]
// The report is written only after a whole run of all figures: half of it would hide the rest.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, short: { type: 'boolean', default: false } },
});
const seed = Number(values.seed);
const size = values.short ? 'short' : 'whole';
const report = new URL('../../docs/reliability.md', import.meta.url);

function chosen(): readonly Figure[] {
  const unknown = positionals.filter((name) => !figures.some(({ id }) => id === name));
  if (unknown.length > 0)
    throw new Error(`no figure ${unknown.join(', ')}; there are ${figures.map(({ id }) => id).join(', ')}`);
  return positionals.length === 0 ? figures : figures.filter(({ id }) => positionals.includes(id));
}

async function measure(figure: Figure): Promise<Measured> {
  process.stdout.write(`${figure.id} ${figure.title} …\n`);
  const started = performance.now();
  const result = await figure.run(size, seed);
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`  ${result.reached ? 'reached' : 'MISSED'} in ${seconds} s: ${result.result}\n`);
  for (const line of [...(result.details ?? []), ...result.failures])
    process.stdout.write(`  - ${line.replace(/\s+/g, ' ')}\n`);
  return { figure, result, seconds };
}

if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number');
const measured: Measured[] = [];
for (const figure of chosen()) measured.push(await measure(figure));
if (size === 'whole' && measured.length === figures.length) {
  await writeFile(report, reportOf(measured, { seed, date: new Date() }));
  process.stdout.write('docs/reliability.md is written\n');
}
process.exit(measured.every(({ result }) => result.reached) ? 0 : 1);
