import type { ToolAnswer } from '../../../reliability/tool-answer.ts';
import type { State } from '../../academy/state.ts';
import { setFindings } from '../compare.ts';
import type { Probe, Rig } from '../probe.ts';
import { admits, judgeError, judgeRead, right, rowsIn, told, wrong } from '../verdict.ts';

type Lists = Map<number | null, number[]>;

const course = 11;

/** The lessons of the course as students see them. */
export function trueLists({ modules, lessons }: State): Lists {
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

function shownLists({ data = {} }: ToolAnswer): Lists {
  const ids = (rows: unknown) => rowsIn(rows).map(({ id }) => Number(id));
  const modules = rowsIn(data.modules).map(({ id, lessons }): [number | null, number[]] => [Number(id), ids(lessons)]);
  return new Map([...modules, [null, ids(data.ungrouped_lessons)]]);
}

/** Words that are not in every plan: that the order, or a sequence, is not certain. */
const structureDoubt =
  /sequence[^.\n]*(missing|unreadable|not (shown|clear|known|unique|numbers?)|same|twice|double|null|no )|(no|without|same|missing|double\w*|equal) sequence|order[^.\n]*(unclear|uncertain|not (clear|certain|known|shown)|may|guess)|not (certain|clear|know)|in (two|several|more than one) (modules|places|lists)|twice|more than once|unreadable|could not be read|nested|incomplete/i;

const isDoubted = (answer: ToolAnswer) =>
  structureDoubt.test(answer.text.replace(/^\s*(base_version|Lesson).*$/gm, ''));

async function judgeStructure(rig: Rig) {
  const answer = await rig.call('get_course_structure', { course_id: course });
  if (answer.code !== 'ok') return judgeError(answer, rig.terms);
  const [shown, truth] = [textOf(shownLists(answer)), textOf(trueLists(rig.academy.state))];
  const isTold = admits(answer) || isDoubted(answer);
  if (shown === truth)
    return isTold && rig.terms.kind === 'fine' ? { verdict: 'worse' as const, why: 'a needless doubt' } : right;
  return isTold ? told(`shows ${shown}`) : wrong(`shows ${shown}, in truth ${truth}`);
}

function outlineFor(lists: Lists) {
  const modules = [...lists].flatMap(([module_id, lesson_ids]) =>
    module_id === null ? [] : [{ module_id, lesson_ids }],
  );
  return { course_id: course, outline: { modules, ungrouped_lesson_ids: lists.get(null) ?? [] } };
}

/** Each list the other way round, and one lesson in another module. */
function newLists(state: State): Lists {
  const lists = new Map([...trueLists(state)].map(([id, ids]) => [id, [...ids].reverse()]));
  const moved = lists.get(201)?.pop();
  if (moved !== undefined) lists.get(202)?.unshift(moved);
  return lists;
}

const byId = (state: State): Lists =>
  new Map([...trueLists(state)].map(([id, ids]) => [id, [...ids].sort((one, other) => one - other)]));

/** How many lessons a plan would write, against whether the course is as asked for already. */
function plan(name: string, targetOf: (state: State) => Lists): Probe {
  return {
    name: `plan_course_outline/${name}`,
    judge: async (rig) => {
      const { state } = rig.academy;
      const target = targetOf(state);
      const answer = await rig.call('plan_course_outline', outlineFor(target));
      if (answer.code !== 'ok') return judgeError(answer, rig.terms);
      const writes = rowsIn(answer.data?.changes).length;
      const isThere = textOf(target) === textOf(trueLists(state));
      const isRight = isThere === (writes === 0);
      if (isDoubted(answer) && rig.terms.kind !== 'fine') return told(`${writes} lessons to write`);
      return isRight
        ? right
        : wrong(`${writes} lessons to write although the order ${isThere ? 'is that asked for' : 'differs'}`);
    },
  };
}

/** Plans, applies, and holds what is said to be verified to the lessons as they then are. */
async function judgeApplied(rig: Rig) {
  const { state } = rig.academy;
  const target = newLists(state);
  const asked = outlineFor(target);
  const planned = await rig.call('plan_course_outline', asked);
  if (planned.code !== 'ok') return judgeError(planned, rig.terms);
  const answer = await rig.call('apply_course_outline', {
    ...asked,
    base_version: planned.data?.base_version,
    confirm: true,
  });
  rig.academy.settle();
  if (answer.code !== 'ok') return judgeError(answer, rig.terms);
  const [is, wanted] = [textOf(trueLists(state)), textOf(target)];
  const { verified, failed = [], remaining = [] } = answer.data ?? {};
  const isClaimed =
    verified === true && rowsIn(failed).length === 0 && Array.isArray(remaining) && remaining.length === 0;
  if (is === wanted)
    return isClaimed
      ? right
      : rig.terms.kind === 'fine'
        ? { verdict: 'worse' as const, why: 'not verified' }
        : told('done, and not verified');
  return isClaimed && !isDoubted(answer)
    ? wrong(`verified, yet it is ${is}, asked for ${wanted}`)
    : told('not verified');
}

function listed(tool: string, list: string, truthOf: (state: State) => number[]): Probe {
  return {
    name: tool,
    judge: async (rig) => {
      const answer = await rig.call(tool, { limit: 500 });
      const shown = rowsIn(answer.data?.[list]).map(({ id }) => String(id));
      return judgeRead(answer, setFindings(list, shown, truthOf(rig.academy.state).map(String)), rig.terms);
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
