import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Figure } from './figure.ts';
import { figures } from './figures/index.ts';
import { type Measured, publish } from './report.ts';

// npm run reliability [-- F1 F7] [--seed N] [--short]
// A whole run updates the rows of its figures in docs/internals/reliability.md. A short run writes nothing.

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
const date = new Date().toISOString().slice(0, 10);
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();

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
  return { id: figure.id, result, seconds, seed, date, commit };
}

/** Figures that mostly wait for real windows run in parallel with those that keep a core busy, each lane in its own process. */
const waiting = ['F4', 'F5', 'F6', 'F9', 'F11', 'F14', 'F21'];
/** Ten minutes of mostly pauses. */
const beside = ['F12'];

/** Runs some figures in a child process, which writes its results to a file. */
async function lane(ids: readonly string[], folder: string): Promise<Measured[]> {
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
  const measured = (await Promise.all(lanes.map((some) => lane(some, folder)))).flat();
  await rm(folder, { recursive: true });
  return measured;
}

async function measureSome(some: readonly Figure[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const figure of some) measured.push(await measure(figure));
  if (values.json !== undefined) await writeFile(values.json, JSON.stringify(measured));
  return measured;
}

if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number');
const isAll = positionals.length === 0;
const measured = isAll ? await measureAll() : await measureSome(chosen());
if (size === 'whole' && values.json === undefined) {
  await publish(figures, measured);
  process.stdout.write('docs/internals/reliability.md is written\n');
}
process.exit(measured.every(({ result }) => result.reached) ? 0 : 1);
