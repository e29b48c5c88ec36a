import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Benchmark } from './benchmark.ts';
import { megabytes, milliseconds, ratio } from './figures.ts';
import { findPeers } from './peers/peers.ts';
import {
  academyMcp,
  bundleFloor,
  helloWorld,
  initialize,
  type Launch,
  memoryOf,
  nowhere,
  spawnServer,
} from './processes.ts';
import { interleave, median } from './statistics.ts';

/** Milliseconds from the start of the process to each answer, and its peak memory in bytes. */
type Sample = Awaited<ReturnType<typeof startServer>>;

interface Candidate {
  readonly name: string;
  start(): Promise<Sample>;
}

const rounds = 15;

async function startServer(launch: Launch) {
  const started = performance.now();
  const server = spawnServer(launch);
  await initialize(server);
  const initialized = performance.now() - started;
  await server.request('tools/list');
  const listed = performance.now() - started;
  const peak = server.memory()?.peak;
  await server.close();
  return { initialized, listed, peak };
}

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

function measure(name: string, samples: readonly Sample[]) {
  return {
    name,
    initialized: median(samples.map(({ initialized }) => initialized)),
    listed: median(samples.map(({ listed }) => listed)),
    peak: median(samples.flatMap(({ peak }) => peak ?? [])),
  };
}

function rowOf({ name, initialized, listed, peak }: ReturnType<typeof measure>, base: number): string[] {
  return [name, ratio(listed, base), milliseconds(initialized), milliseconds(listed), megabytes(peak)];
}

/** Any server can be started without an academy. */
const candidate = (name: string, launch: Launch): Candidate => ({ name, start: () => startServer(launch) });

async function candidatesFor(): Promise<Candidate[]> {
  const bundled = await bundleFloor(helloWorld);
  const { ivotoby, mcpOpenapi } = await findPeers();
  return [
    candidate('hello world on the SDK', { file: helloWorld, environment: {} }),
    candidate('hello world, bundled', { file: bundled, environment: {} }),
    { name: 'Node alone', start: startNode },
    candidate('academy-mcp', academyMcp(nowhere)),
    ...[ivotoby, mcpOpenapi].map((peer) => candidate(peer.name, peer.launch(nowhere))),
  ];
}

export const startUp: Benchmark = {
  name: 'start-up',
  title: 'Start-up',
  run: async () => {
    const results = await interleave(await candidatesFor(), { rounds, warmUps: 2 }, ({ start }) => start());
    const measured = results.map(({ subject, samples }) => measure(subject.name, samples));
    const base = measured[0]?.listed ?? Number.NaN;
    const columns = ['Process', 'To hello world', '`initialize`, ms', '`tools/list`, ms', 'Peak memory, MB'];
    return {
      tables: [{ columns, rows: measured.map((each) => rowOf(each, base)) }],
      notes: [
        `From starting the process to the answers of \`initialize\` and then \`tools/list\`; medians of ${rounds}. No request is made to an academy. Hello world has one tool and is loaded from \`node_modules\`, or bundled like academy-mcp. Node alone prints one word. Target: at most 0.66 times hello world.`,
      ],
    };
  },
};
