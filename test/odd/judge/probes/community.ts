import type { Post, State } from '../../academy/state.ts';
import { setFindings } from '../compare.ts';
import type { Harness, Probe } from '../probe.ts';
import { incomplete, judgeRead, record, rowsIn } from '../verdict.ts';
import { everyPage } from './orders.ts';

const day = 86_400_000;

function first(...found: (string | undefined)[]): string | undefined {
  return found.find((one) => one !== undefined);
}

const unansweredIn = ({ posts }: State, within: readonly Post[]) =>
  within.filter(({ topic }) => posts.filter((post) => post.topic === topic).length === 1);

/** `days`: of the last days; without it, of all time. */
function digest(name: string, period: string, days?: number): Probe {
  return {
    name,
    judge: async (harness) => {
      const { state } = harness.academy;
      const answer = await harness.call('community_digest', { period, limit: 500, max_requests: 300 });
      const { data = {} } = answer;
      const said = Date.parse(String(record(data.period).from));
      const from = days === undefined ? 0 : said;
      const truth = state.posts.filter(({ at }) => at >= from);
      const totals = record(data.totals);
      const count = totals.posts === truth.length ? undefined : `${totals.posts} posts, in truth ${truth.length}`;
      const more = Number(totals.posts) > truth.length ? count : undefined;
      const alone = setFindings(
        'unanswered topics',
        rowsIn(data.unanswered).map(({ topic_id }) => String(topic_id)),
        unansweredIn(state, truth).map(({ topic }) => String(topic)),
      );
      const early = rowsIn(data.posts).find(
        (row) => typeof row.id === 'number' && !truth.some(({ id }) => id === row.id),
      );
      const stray = early === undefined ? undefined : `post ${early.id} is outside the period`;
      // A listed channel that answers 404 may be named in the first line, instead of an incomplete coverage.
      const { channels_not_found: gone } = record(data.coverage);
      const isNamed = typeof gone === 'string' && answer.text.split('\n')[0]?.includes(gone) === true;
      if (isNamed && harness.terms.kind === 'open' && first(more, stray, alone.falsehood) === undefined)
        return incomplete(`without ${gone}`);
      return judgeRead(
        answer,
        { difference: first(count, stray, alone.difference), falsehood: first(more, stray, alone.falsehood) },
        harness.terms,
      );
    },
  };
}

function posts(
  name: string,
  argsOf: (harness: Harness) => { args: Record<string, unknown>; from: number; to: number },
): Probe {
  return {
    name,
    judge: async (harness) => {
      const { args, from, to } = argsOf(harness);
      const query = { id_or_slug: 'general', per_page: 50, ...args };
      const { answer, rows, isEndless } = await everyPage(harness, 'search_posts', 'posts', query);
      const truth = harness.academy.state.posts.filter(({ channel, at }) => channel === 61 && at >= from && at < to);
      const found = setFindings(
        'posts',
        rows.map(({ id }) => String(id)),
        truth.map(({ id }) => String(id)),
      );
      return judgeRead(answer, isEndless ? { difference: 'its pages do not end' } : found, harness.terms);
    },
  };
}

/** Bounds between two posts. */
function windowOf({ academy }: Harness) {
  const times = academy.state.posts.filter(({ channel }) => channel === 61).map(({ at }) => at);
  const between = (index: number) => ((times[index] ?? 0) + (times[index + 1] ?? 0)) / 2;
  const [from, to] = [between(70), between(9)];
  return {
    from,
    to,
    args: { created_after: new Date(from).toISOString(), created_before: new Date(to).toISOString() },
  };
}

export const communityProbes: readonly Probe[] = [
  digest('community_digest', 'all_time'),
  digest('community_digest/week', 'last_7_days', 7 * day),
  posts('search_posts', () => ({ args: {}, from: 0, to: Number.POSITIVE_INFINITY })),
  posts('search_posts/window', windowOf),
];
