import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Figure, FigureResult } from './figure.ts';
import { figures } from './figures/index.ts';
import { type Measured, reportOf } from './report.ts';

// npm run reliability [-- F1 F7] [--seed N] [--short]
// The report is written only after a whole run of all figures: half of it would hide the rest.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    short: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
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

/** Figures that mostly wait for real windows run beside those that keep a core busy, each lane in a process of its own. */
const waiting = ['F4', 'F5', 'F6', 'F9', 'F11', 'F14'];
/** Ten minutes of mostly pauses, and after them what takes copies of the sources apart. */
const beside = ['F12', 'F16'];

interface Told {
  readonly id: string;
  readonly result: FigureResult;
  readonly seconds: number;
}

/** Runs some figures in a child process, which writes what it measured to a file. */
async function lane(ids: readonly string[], folder: string): Promise<Told[]> {
  const file = join(folder, `${ids[0]}.json`);
  const script = fileURLToPath(import.meta.url);
  const flags = ['--seed', String(seed), '--json', file, ...(values.short ? ['--short'] : [])];
  const child = spawn(process.execPath, [...process.execArgv, script, ...ids, ...flags], { stdio: 'inherit' });
  await once(child, 'exit');
  return JSON.parse(await readFile(file, 'utf8'));
}

async function measureAll(): Promise<Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-reliability-lanes-'));
  const ids = figures.map(({ id }) => id);
  const isWaiting = (id: string) => waiting.includes(id);
  const isBeside = (id: string) => beside.includes(id);
  const lanes = [ids.filter(isWaiting), ids.filter(isBeside), ids.filter((id) => !isWaiting(id) && !isBeside(id))];
  const told = (await Promise.all(lanes.map((some) => lane(some, folder)))).flat();
  await rm(folder, { recursive: true });
  return figures.flatMap((figure) => told.filter(({ id }) => id === figure.id).map((one) => ({ ...one, figure })));
}

async function measureSome(some: readonly Figure[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const figure of some) measured.push(await measure(figure));
  const told = measured.map(({ figure: { id }, result, seconds }): Told => ({ id, result, seconds }));
  if (values.json !== undefined) await writeFile(values.json, JSON.stringify(told));
  return measured;
}

if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number');
const isAll = positionals.length === 0;
const measured = isAll ? await measureAll() : await measureSome(chosen());
if (size === 'whole' && isAll && measured.length === figures.length) {
  await writeFile(report, reportOf(measured, { seed, date: new Date() }));
  process.stdout.write('docs/reliability.md is written\n');
}
process.exit(measured.every(({ result }) => result.reached) ? 0 : 1);
