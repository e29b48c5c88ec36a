import { dayMs, hourMs } from '../../shared/durations.ts';
import { readChannels } from '../../workflows/community/channel-posts.ts';
import { findChannels } from '../../workflows/community/find-channels.ts';
import { insertRows } from '../rows/insert-rows.ts';
import { postRow } from '../rows/record-rows.ts';
import { writeSync } from './fill-state.ts';
import type { FillContext, Filling } from './list-filling.ts';

/** New posts are looked for every hour, a day back; all of them once a day, which finds deleted ones. */
const intervalMs = hourMs;
const wholeIntervalMs = dayMs;

/** Fills `posts`, channel by channel. */
export function createPostFilling(): Filling {
  let dueAt = Number.NEGATIVE_INFINITY;
  let wholeDueAt = Number.NEGATIVE_INFINITY;
  /** The channels of this round that were not read yet. */
  let left: string[] | undefined;
  let problems: string[] = [];
  /** Those of the last round that read all posts. A later round, which reads only new ones, does not solve them. */
  let wholeProblems: readonly string[] = [];
  let isWhole = true;

  async function begin(context: FillContext): Promise<void> {
    const { channels, isCut, nameless } = await findChannels(undefined, context);
    left = [...channels];
    isWhole = context.now().getTime() >= wholeDueAt;
    problems = [
      ...(isCut ? ['there may be more channels than the API lists'] : []),
      ...(nameless > 0 ? [`${nameless} channels have neither id nor slug`] : []),
    ];
  }

  async function readChannel(channel: string, context: FillContext): Promise<void> {
    const from = isWhole ? undefined : context.now().getTime() - dayMs - intervalMs;
    const terms = { left: () => Number.POSITIVE_INFINITY, progress: () => {} };
    const result = await readChannels(context.api, { channels: [channel], period: { from }, isNamed: false }, terms);
    const problem = result.stopped ?? result.refused[0] ?? result.problem;
    if (problem !== undefined) problems.push(problem);
    const rows = result.posts.map(({ record }) => postRow(record, channel, context.calendar));
    const isProved = isWhole && problem === undefined && result.whole.includes(channel);
    await context.store.write([
      ...(isProved ? [{ sql: 'DELETE FROM posts WHERE channel = ?', values: [channel] }] : []),
      ...insertRows(
        'posts',
        rows.filter(([id]) => typeof id === 'number'),
      ),
    ]);
  }

  async function finish({ store, now }: FillContext): Promise<void> {
    left = undefined;
    if (isWhole) wholeProblems = problems;
    const [problem] = [...problems, ...wholeProblems];
    await store.write(writeSync({ name: 'posts', complete: problem === undefined, asOf: now(), problem }));
    dueAt = now().getTime() + intervalMs;
    if (isWhole) wholeDueAt = now().getTime() + wholeIntervalMs;
  }

  return {
    name: 'posts',
    isDue: async ({ now }) => left !== undefined || now().getTime() >= dueAt,
    step: async (context) => {
      if (left === undefined) return await begin(context);
      const channel = left.shift();
      if (channel === undefined) return await finish(context);
      await readChannel(channel, context);
    },
    invalidate: () => {
      dueAt = Number.NEGATIVE_INFINITY;
    },
    forget: () => {
      left = undefined;
      wholeDueAt = Number.NEGATIVE_INFINITY;
    },
  };
}
