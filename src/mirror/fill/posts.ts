import { dayMs, hourMs } from '../../shared/durations.ts';
import { readChannels } from '../../workflows/community/channel-posts.ts';
import { findChannels } from '../../workflows/community/find-channels.ts';
import { insertRows } from '../rows/insert-rows.ts';
import { postRow } from '../rows/record-rows.ts';
import { hasMissing, keysOf, removeMissing, writeSync } from './fill-state.ts';
import { createSchedule, type FillContext, type Filling } from './list-filling.ts';

/** New posts are looked for every hour, a day back; all of them once a day, which finds changed and deleted ones. */
const intervalMs = hourMs;
const wholeIntervalMs = dayMs;

/** One reading of all channels. */
interface Round {
  readonly startedAt: Date;
  readonly end: ReturnType<ReturnType<typeof createSchedule>['begin']>;
  readonly channels: readonly string[];
  /** Those that were not read yet. */
  readonly left: string[];
  /** It reads all posts, not only new ones. */
  readonly isWhole: boolean;
  readonly problems: string[];
}

/** Fills `posts`, channel by channel. */
export function createPostFilling(): Filling {
  const { isDue, begin, invalidate } = createSchedule();
  let round: Round | undefined;
  /** The last round that read all posts. What it could not read, a round that reads only new ones does not solve. */
  let whole: Pick<Round, 'startedAt' | 'problems'> | undefined;
  let isWholeDue = true;

  async function beginRound(context: FillContext): Promise<Round> {
    const startedAt = context.now();
    const end = begin();
    const age = startedAt.getTime() - (whole?.startedAt.getTime() ?? Number.NEGATIVE_INFINITY);
    const isWhole = isWholeDue || age >= wholeIntervalMs;
    isWholeDue = false;
    const { channels, isCut, nameless } = await findChannels(undefined, context);
    const problems = [
      ...(isCut ? ['there may be more channels than the API lists'] : []),
      ...(nameless > 0 ? [`${nameless} channels have neither id nor slug`] : []),
    ];
    return { startedAt, end, channels, left: [...channels], isWhole, problems };
  }

  async function readChannel(channel: string, { isWhole, startedAt, problems }: Round, context: FillContext) {
    const from = isWhole ? undefined : startedAt.getTime() - dayMs - intervalMs;
    const terms = { left: () => Number.POSITIVE_INFINITY, progress: () => {} };
    const result = await readChannels(context.api, { channels: [channel], period: { from }, isNamed: false }, terms);
    const isRefused = result.refused.length > 0 ? `the posts of ${channel} could not be read` : undefined;
    const problem = result.stopped ?? isRefused ?? result.problem;
    if (problem !== undefined) problems.push(problem);
    const rows = result.posts.map(({ record }) => postRow(record, channel, context.calendar));
    const known = rows.filter(([id]) => typeof id === 'number');
    const isProved = isWhole && problem === undefined && result.whole.includes(channel);
    const covers = { sql: 'channel = ?', values: [channel] };
    const shown = keysOf(known.map(([id = null]) => id));
    const reading = { table: 'posts', key: 'id', covers, shown };
    await context.store.write([
      ...insertRows('posts', known),
      ...(isProved ? removeMissing(reading, context.now().getTime()) : []),
    ]);
  }

  async function finish(done: Round, { store, now }: FillContext): Promise<void> {
    if (done.isWhole) whole = done;
    const [problem] = [...done.problems, ...(whole?.problems ?? [])];
    const { sql, values = [] } = keysOf(done.channels);
    const covers = { sql: `channel NOT IN (${sql})`, values };
    const ofGoneChannels = { table: 'posts', key: 'id', covers, shown: keysOf([]) };
    await store.write([
      ...(done.isWhole && problem === undefined ? removeMissing(ofGoneChannels, now().getTime()) : []),
      writeSync({
        name: 'posts',
        complete: problem === undefined,
        newUpTo: done.startedAt,
        changesAsOf: whole?.startedAt ?? done.startedAt,
        comparedAt: now(),
        problem,
      }),
    ]);
    round = undefined;
    const isOpen = await hasMissing(store, 'posts');
    // A second whole round proves which posts are gone.
    if (isOpen) isWholeDue = true;
    done.end({ now }, isOpen ? 0 : intervalMs);
  }

  return {
    name: 'posts',
    isDue: async (context) => round !== undefined || isDue(context),
    step: async (context) => {
      if (round === undefined) {
        round = await beginRound(context);
        return;
      }
      const [channel] = round.left;
      if (channel === undefined) return await finish(round, context);
      await readChannel(channel, round, context);
      // The second reading after the first proves which posts are gone.
      if (round.isWhole && (await hasMissing(context.store, 'posts'))) await readChannel(channel, round, context);
      round.left.shift();
    },
    invalidate: (isAsked) => {
      invalidate();
      if (isAsked === true) isWholeDue = true;
    },
  };
}
