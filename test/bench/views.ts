import { execFileSync } from 'node:child_process';
import * as z from 'zod';
import type { Benchmark } from './benchmark.ts';
import { count, milliseconds } from './figures.ts';
import { median } from './statistics.ts';

const times = z.array(z.number()).min(1);

const measured = z.object({
  browser: z.string(),
  pages: z.array(z.object({ page: z.string(), shown: z.string(), bytes: z.int(), gzip: z.int(), paint: times })),
  scroll: z.object({ rows: z.int(), frames: times }),
});

type Measured = z.output<typeof measured>;

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

const pageRow = ({ page, shown, bytes, gzip, paint }: Measured['pages'][number]) => [
  `\`${page}\``,
  shown,
  count(bytes),
  count(gzip),
  milliseconds(median(paint)),
  milliseconds(Math.max(...paint)),
];

function scrollRow({ rows, frames }: Measured['scroll']): string[] {
  const late = frames.filter((time) => time > 50).length;
  return [
    count(rows),
    count(frames.length),
    milliseconds(median(frames)),
    milliseconds(Math.max(...frames)),
    count(late),
  ];
}

export const viewFigures: Benchmark = {
  name: 'views',
  title: 'Views',
  run: async () => {
    run('npm', ['ci', '--prefix', 'test/ui', '--loglevel=error']);
    const { browser, pages, scroll } = measured.parse(JSON.parse(run('npx', ['tsx', 'test/ui/bench.ts'])));
    const pageColumns = ['View', 'Shows', 'Bytes', 'gzip, bytes', 'First paint, ms', 'slowest, ms'];
    const scrollColumns = ['Rows', 'Frames', 'Median, ms', 'slowest, ms', 'above 50 ms'];
    return {
      tables: [
        { columns: pageColumns, rows: pages.map(pageRow) },
        { columns: scrollColumns, rows: [scrollRow(scroll)] },
      ],
      notes: [
        `In Chromium ${browser}, without a graphics card. First paint: from the answer of the tool until its rows, bars or lessons are on the screen; targets: at most 300 ms, and at most 81,920 bytes. Scrolling: the table of buyers on the full screen, one screen with each frame; target: none above 50 ms.`,
      ],
    };
  },
};
