import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Benchmark } from './benchmark.ts';
import { megabytes, milliseconds, ratio } from './figures.ts';
import { bundleFloor } from './floor/bundle.ts';
import { initialize, spawnServer } from './mcp-process.ts';
import { memoryOf } from './memory.ts';
import { helloWorld, nowhere, program } from './programs.ts';
import { interleave, median } from './statistics.ts';

/** Milliseconds from the start of the process to each answer, and its peak memory in bytes. */
interface Sample {
  readonly initialized: number;
  readonly listed: number;
  readonly peak: number | undefined;
}

interface Candidate {
  readonly name: string;
  start(): Promise<Sample>;
}

const rounds = 15;

async function startServer(file: string): Promise<Sample> {
  const started = performance.now();
  const server = spawnServer(file, nowhere);
  await initialize(server);
  const initialized = performance.now() - started;
  await server.request('tools/list');
  const listed = performance.now() - started;
  const peak = server.memory()?.peak;
  await server.close();
  return { initialized, listed, peak };
}

/** The time that Node itself needs until it can answer. */
async function startNode(): Promise<Sample> {
  const started = performance.now();
  const child = spawn(process.execPath, ['-e', "process.stdout.write('ready'); process.stdin.resume()"], { env: {} });
  await once(child.stdout, 'data');
  const ready = performance.now() - started;
  const peak = memoryOf(child.pid)?.peak;
  child.stdin.end();
  await once(child, 'exit');
  return { initialized: ready, listed: ready, peak };
}

function rowOf(name: string, samples: readonly Sample[], base: number): string[] {
  const listed = median(samples.map((sample) => sample.listed));
  const initialized = median(samples.map((sample) => sample.initialized));
  const peak = median(samples.flatMap((sample) => sample.peak ?? []));
  return [name, ratio(listed, base), milliseconds(initialized), milliseconds(listed), megabytes(peak)];
}

export const startUp: Benchmark = {
  title: 'Start-up',
  run: async (atEnd) => {
    const bundled = await bundleFloor(helloWorld, atEnd);
    const candidates: Candidate[] = [
      { name: 'hello world on the SDK, from `node_modules`', start: () => startServer(helloWorld) },
      { name: 'hello world on the SDK, bundled like academy-mcp', start: () => startServer(bundled) },
      { name: 'Node alone, printing one word', start: startNode },
      { name: '**academy-mcp**', start: () => startServer(program) },
    ];
    const results = await interleave(candidates, { rounds, warmUps: 2 }, ({ start }) => start());
    const base = median(results[0]?.samples.map(({ listed }) => listed) ?? []);
    const columns = ['Process', 'To hello world', '`initialize`, ms', '`tools/list`, ms', 'Peak memory, MB'];
    return {
      tables: [{ columns, rows: results.map(({ subject, samples }) => rowOf(subject.name, samples, base)) }],
      notes: [
        `From starting the process to the answers of \`initialize\` and then \`tools/list\`; medians of ${rounds}. No request is made to an academy. Target: below 1.00.`,
      ],
    };
  },
};
