import type { ToolAnswer } from '../../../support/connect.ts';
import type { Post, State } from '../../academy/state.ts';
import {
  admits,
  countFindings,
  doubted,
  type Harness,
  incomplete,
  judgeError,
  judgeRead,
  type Probe,
  record,
  right,
  rowsIn,
  setFindings,
  states,
  wrong,
} from '../verdict.ts';
import { everyPage } from './orders.ts';

const day = 86_400_000;

const unansweredIn = ({ posts }: State, within: readonly Post[]) =>
  within.filter(({ topic }) => posts.filter((post) => post.topic === topic).length === 1);

/** `days`: of the last days; without it, of all time. */
function digest(name: string, period: string, days?: number): Probe {
  return {
    name,
    judge: async (harness) => {
      const { state } = harness.academy;
      const answer = await harness.call('community_digest', { period, limit: 500, max_requests: 300 });
      const { structured: data = {} } = answer;
      const said = Date.parse(String(record(data.period).from));
      const from = days === undefined ? 0 : said;
      const truth = state.posts.filter(({ at, gone }) => at >= from && gone !== true);
      const strays = rowsIn(data.posts).filter(
        (row) => typeof row.id === 'number' && !truth.some(({ id }) => id === row.id),
      );
      const found = [
        ...countFindings(record(data.totals), { posts: truth.length }),
        ...strays.map((row) => states(`post ${row.id} is outside the period`)),
        ...setFindings(
          'unanswered topics',
          rowsIn(data.unanswered).map(({ topic_id }) => String(topic_id)),
          unansweredIn(state, truth).map(({ topic }) => String(topic)),
        ),
      ];
      // A listed channel that answers 404 may be named in the first line, instead of an incomplete coverage.
      const { channels_not_found: gone } = record(data.coverage);
      const isNamed = typeof gone === 'string' && answer.text.split('\n')[0]?.includes(gone) === true;
      if (isNamed && harness.terms.kind === 'open' && !found.some(({ isUntrue }) => isUntrue))
        return incomplete(`without ${gone}`);
      return judgeRead(answer, found, harness.terms);
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
      const { answer, rows, endless } = await everyPage(harness, 'search_posts', 'posts', query);
      const truth = harness.academy.state.posts.filter(({ channel, at }) => channel === 61 && at >= from && at < to);
      const found = setFindings(
        'posts',
        rows.map(({ id }) => String(id)),
        truth.map(({ id }) => String(id)),
      );
      return judgeRead(answer, [...endless, ...found], harness.terms);
    },
  };
}

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

type Lists = Map<number | null, number[]>;

const course = 11;

function trueLists({ modules, lessons }: State): Lists {
  const within = (module: number | null) =>
    lessons
      .filter((lesson) => lesson.course === course && lesson.module === module)
      .sort((one, other) => one.sequence - other.sequence || one.id - other.id)
      .map(({ id }) => id);
  const ids = modules.filter((module) => module.course === course).map(({ id }) => id);
  return new Map([...ids, null].map((id) => [id, within(id)]));
}

const textOf = (lists: Lists) =>
  [...lists]
    .filter(([, ids]) => ids.length > 0)
    .map(([id, ids]) => `${id}: ${ids.join(' ')}`)
    .join('; ');

function shownLists({ structured: data = {} }: ToolAnswer): Lists {
  const ids = (rows: unknown) => rowsIn(rows).map(({ id }) => Number(id));
  const modules = rowsIn(data.modules).map(({ id, lessons }): [number | null, number[]] => [Number(id), ids(lessons)]);
  return new Map([...modules, [null, ids(data.ungrouped_lessons)]]);
}

/** Words that only a plan with an uncertain order or sequence has. */
const structureDoubt =
  /sequence[^.\n]*(missing|unreadable|not (shown|clear|known|unique|numbers?)|same|twice|double|null|no )|(no|without|same|missing|double\w*|equal) sequence|order[^.\n]*(unclear|uncertain|not (clear|certain|known|shown)|may|guess)|not (certain|clear|know)|in (two|several|more than one) (modules|places|lists)|twice|more than once|unreadable|could not be read|nested|incomplete/i;

const isDoubted = (answer: ToolAnswer) =>
  structureDoubt.test(answer.text.replace(/^\s*(base_version|Lesson).*$/gm, ''));

async function judgeStructure(harness: Harness) {
  const answer = await harness.call('get_course_structure', { course_id: course });
  if (answer.code !== 'ok') return judgeError(answer, harness.terms);
  const [shown, truth] = [textOf(shownLists(answer)), textOf(trueLists(harness.academy.state))];
  const isAdmitted = admits(answer) || isDoubted(answer);
  if (shown === truth)
    return isAdmitted && harness.terms.kind === 'fine' ? doubted(harness.terms, 'a needless doubt') : right;
  return isAdmitted ? incomplete(`shows ${shown}`) : wrong(`shows ${shown}, in truth ${truth}`);
}

function outlineFor(lists: Lists) {
  const modules = [...lists].flatMap(([module_id, lesson_ids]) =>
    module_id === null ? [] : [{ module_id, lesson_ids }],
  );
  return { course_id: course, outline: { modules, ungrouped_lesson_ids: lists.get(null) ?? [] } };
}

function newLists(state: State): Lists {
  const lists = new Map([...trueLists(state)].map(([id, ids]) => [id, [...ids].reverse()]));
  const moved = lists.get(201)?.pop();
  if (moved !== undefined) lists.get(202)?.unshift(moved);
  return lists;
}

const byId = (state: State): Lists =>
  new Map([...trueLists(state)].map(([id, ids]) => [id, [...ids].sort((one, other) => one - other)]));

/** Compares the number of lessons that a plan would write with whether the course already has the requested order. */
function plan(name: string, targetOf: (state: State) => Lists): Probe {
  return {
    name: `plan_course_outline/${name}`,
    judge: async (harness) => {
      const { state } = harness.academy;
      const target = targetOf(state);
      const answer = await harness.call('plan_course_outline', outlineFor(target));
      if (answer.code !== 'ok') return judgeError(answer, harness.terms);
      const writes = rowsIn(answer.structured?.changes).length;
      const isThere = textOf(target) === textOf(trueLists(state));
      const isRight = isThere === (writes === 0);
      if (isDoubted(answer) && harness.terms.kind !== 'fine') return incomplete(`${writes} lessons to write`);
      return isRight
        ? right
        : wrong(`${writes} lessons to write although the order ${isThere ? 'is the requested one' : 'differs'}`);
    },
  };
}

async function judgeApplied(harness: Harness) {
  const { state } = harness.academy;
  const target = newLists(state);
  const requested = outlineFor(target);
  const planned = await harness.call('plan_course_outline', requested);
  if (planned.code !== 'ok') return judgeError(planned, harness.terms);
  const answer = await harness.call('apply_course_outline', {
    ...requested,
    base_version: planned.structured?.base_version,
    confirm: true,
  });
  harness.academy.settle();
  if (answer.code !== 'ok') return judgeError(answer, harness.terms);
  const [is, wanted] = [textOf(trueLists(state)), textOf(target)];
  const { verified, failed = [], remaining = [] } = answer.structured ?? {};
  const isClaimed =
    verified === true && rowsIn(failed).length === 0 && Array.isArray(remaining) && remaining.length === 0;
  if (is === wanted) return isClaimed ? right : doubted(harness.terms, 'done, but not verified');
  return isClaimed && !isDoubted(answer)
    ? wrong(`verified, but it is ${is} instead of ${wanted}`)
    : incomplete('not verified');
}

function listed(tool: string, list: string, truthOf: (state: State) => number[]): Probe {
  return {
    name: tool,
    judge: async (harness) => {
      const answer = await harness.call(tool, { limit: 500 });
      const shown = rowsIn(answer.structured?.[list]).map(({ id }) => String(id));
      return judgeRead(answer, setFindings(list, shown, truthOf(harness.academy.state).map(String)), harness.terms);
    },
  };
}

const published =
  (kind: string) =>
  ({ products }: State) =>
    products.filter((product) => product.kind === kind && product.attributes.is_published).map(({ id }) => id);

export const structureProbes: readonly Probe[] = [
  listed('list_courses', 'courses', published('course')),
  listed('list_bundles', 'bundles', published('bundle')),
  listed('list_digital_products', 'digital_products', published('digital_product')),
  { name: 'get_course_structure', judge: judgeStructure },
  plan('as_is', trueLists),
  plan('by_id', byId),
  plan('new', newLists),
  { name: 'apply_course_outline', judge: judgeApplied },
];
