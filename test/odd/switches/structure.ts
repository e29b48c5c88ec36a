import type { Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import { records } from './helpers.ts';
import { lessonReads, type Switch } from './switch.ts';

type Restructure = NonNullable<Rules['structure']>;

function structure(
  name: string,
  kind: Switch['kind'],
  says: string,
  rules: Rules,
  probes: readonly string[] = lessonReads,
): Switch {
  return { name: `structure-${name}`, class: 'structure', kind, says, probes, rules };
}

/** Changes each list of lessons. */
const lists =
  (write: (lessons: Json[]) => unknown): Restructure =>
  (shown) => ({
    ...shown,
    modules: records(shown.modules).map((module) => ({ ...module, lessons: write(records(module.lessons)) })),
    ungrouped_lessons: write(records(shown.ungrouped_lessons)),
  });

const sequences = (write: (sequence: number) => unknown) =>
  lists((lessons) => lessons.map((one) => ({ ...one, sequence: write(Number(one.sequence)) })));
const byId = (one: Json, other: Json) => Number(one.id) - Number(other.id);

export const structureSwitches: readonly Switch[] = [
  structure('by-id', 'open', 'lessons listed by id', { structure: lists((lessons) => [...lessons].sort(byId)) }),
  structure('reversed', 'open', 'lessons in reverse order', {
    structure: lists((lessons) => [...lessons].reverse()),
  }),
  structure('modules-by-title', 'open', 'modules in reverse order', {
    structure: (shown) => ({ ...shown, modules: [...records(shown.modules)].reverse() }),
  }),
  structure('null', 'open', 'sequences of null', { structure: sequences(() => null) }),
  structure('doubled', 'open', 'two lessons with each sequence', {
    seed: ({ lessons }) =>
      lessons.forEach((lesson) => {
        lesson.sequence = Math.ceil(lesson.sequence / 2);
      }),
  }),
  structure(
    'modules-null',
    'open',
    'null for the modules of a course without modules',
    {
      seed: ({ lessons, modules }) => {
        modules.splice(0);
        lessons.forEach((lesson, index) => {
          lesson.module = null;
          lesson.sequence = index + 1;
        });
      },
      structure: (shown) => ({ ...shown, modules: null }),
    },
    ['get_course_structure', 'plan_course_outline/as_is'],
  ),
  structure('lessons-null', 'open', 'null for the lessons of an empty list', {
    structure: lists((lessons) => (lessons.length === 0 ? null : lessons)),
  }),
  structure('twice', 'departs', 'a lesson in two modules', {
    structure: (shown) => {
      const [first, second, ...others] = records(shown.modules);
      const [shared] = records(first?.lessons);
      return { ...shown, modules: [first, { ...second, lessons: [...records(second?.lessons), shared] }, ...others] };
    },
  }),
];
