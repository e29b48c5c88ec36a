import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { milliseconds } from './figures.ts';
import { academyMcp, openSandbox, openServer } from './processes.ts';
import { interleave, median, p95, quantile, timed } from './statistics.ts';

const quartile = (times: readonly number[]) => quantile(times, 0.25);

/** Each subject once in every round: the time that a disk takes for a sync changes within seconds. */
const rounds = { rounds: 300, warmUps: 20 };

export const journal: Benchmark = {
  name: 'journal',
  title: 'A write with the journal',
  run: async (atEnd) => {
    const folder = await mkdtemp(join(tmpdir(), 'academy-bench-'));
    atEnd(() => rm(folder, { recursive: true }));
    const file = join(folder, 'journal.jsonl');
    const sandbox = await openSandbox(['--rate-limit', 'off'], atEnd);
    const common = { ...sandbox.environment, ACADEMY_RATE_LIMIT: 'off' };
    let price = 10;
    const updating = async (place: string) => {
      const server = await openServer(academyMcp({ ...common, ACADEMY_JOURNAL: place }), atEnd);
      const update = async () => {
        price += 1;
        const args = { product_type: 'course', id_or_slug: '5', price: `${price}.00` };
        const { isError, text } = await server.callTool('update_product', args);
        if (isError) throw new Error(text);
      };
      return () => timed(update);
    };
    const [without, inMemory, inFile] = [await updating('off'), await updating('memory'), await updating(file)];
    await inFile();
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    const handle = await open(join(folder, 'lines'), 'a');
    atEnd(() => handle.close());
    /** Apart by a request, as in a write: a disk takes less for a sync right after another. */
    const syncing = async () => {
      let sum = 0;
      for (const line of lines.slice(0, 2)) {
        sum += await timed(async () => {
          await handle.appendFile(`${line}\n`);
          await handle.datasync();
        });
        await sandbox.get('/api/v1/products/course/5');
      }
      return sum;
    };
    const subjects = [
      { name: '`update_product` without a journal', work: without },
      { name: '`update_product`, journal in memory', work: inMemory },
      { name: '`update_product`, journal in a file', work: inFile },
      { name: 'two lines of its size, each synced to the disk', work: syncing },
    ];
    const results = await interleave(subjects, rounds, ({ work }) => work());
    const all = results.map(({ subject, samples }) => ({ name: subject.name, times: samples }));
    const [base = 0, kept = 0, journaled = 0, synced = 0] = all.map(({ times }) => quartile(times));
    return {
      tables: [
        {
          columns: ['Sequential writes', 'Lower quartile, ms', 'Median, ms', 'p95, ms'],
          rows: all.map(({ name, times }) => [name, ...[quartile, median, p95].map((of) => milliseconds(of(times)))]),
        },
      ],
      notes: [
        `By the lower quartiles, since other work makes the threads of a sync wait, a journal adds ${milliseconds(Math.max(0, kept - base))} ms to a write without a disk and, in a file, ${milliseconds(Math.max(0, journaled - base - synced))} ms beside the two syncs. Target: at most 1 ms.`,
        'Through stdio to the program and from there to the sandbox, each write with one read of the old values before it. File and synced lines are in the folder for temporary files.',
      ],
    };
  },
};
