import type { Benchmark } from './benchmark.ts';
import { academyMcp, openSandbox, openServer } from './processes.ts';

interface Load {
  readonly calls: number;
  readonly settings: Record<string, string>;
  readonly target: string;
}

const loads: readonly Load[] = [
  { calls: 10, settings: {}, target: 'under 3 s' },
  { calls: 60, settings: {}, target: '' },
  { calls: 60, settings: { ACADEMY_RATE_SHARE: '1' }, target: '' },
  { calls: 60, settings: { ACADEMY_MAX_WAIT_MS: '90000' }, target: '' },
];

const wordsOf = (settings: Record<string, string>) =>
  Object.entries(settings)
    .map(([name, value]) => `\`${name}=${value}\``)
    .join(' ') || 'defaults';

export const limiter: Benchmark = {
  name: 'limiter',
  title: 'The rate limit from idle',
  run: async () => {
    /** Each load gets its own academy, with the requests of a whole minute. */
    const rowOf = async ({ calls, settings, target }: Load) => {
      const sandbox = await openSandbox(['--rate-limit', '60']);
      const server = await openServer(academyMcp({ ...sandbox.environment, ...settings }));
      const started = performance.now();
      const answers = await Promise.all(
        Array.from({ length: calls }, async (_, index) => {
          const { isError } = await server.callTool('list_orders', { per_page: 1, page: index + 1 });
          return { isError, seconds: (performance.now() - started) / 1000 };
        }),
      );
      const answered = answers.filter(({ isError }) => !isError).map(({ seconds }) => seconds);
      const last = Math.max(...answered).toFixed(1);
      const refused = calls - answered.length;
      return [`${calls}`, wordsOf(settings), `${answered.length}`, `${refused}`, last, target];
    };
    const rows = await Promise.all(loads.map(rowOf));
    return {
      tables: [
        {
          columns: ['Concurrent calls', 'Settings', 'Answered', 'Refused with a wait', 'Last answer, s', 'Target'],
          rows,
        },
      ],
      notes: [
        'Different calls, all sent at once, to a sandbox that allows 60 requests a minute. By default the server uses 90% of them, and a call that would wait longer than 45 s returns the seconds to wait instead. The loads run in parallel, because they mostly wait.',
      ],
    };
  },
};
