import { type Course, type Lesson, type List, placesOf } from '../../src/insights/outline/course.ts';
import type { LessonChange } from '../../src/insights/outline/lesson-changes.ts';
import {
  currentTarget,
  inOldOrder,
  type Move,
  movedLists,
  type Target,
  type TargetList,
} from '../../src/insights/outline/target.ts';
import type { Json } from '../../src/shared/json.ts';
import { flag, number, record, records, text } from '../shared/values.ts';

export const isSame = (one: Target, other: Target): boolean => JSON.stringify(one) === JSON.stringify(other);

const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.flatMap((one) => number(one) ?? []) : []);

function targetOfOutline(course: Course, outline: Json): Target {
  const wanted = new Map(records(outline.modules).map((row) => [number(row.module_id), numbers(row.lesson_ids)]));
  return course.lists.map(({ module_id }) => ({
    module_id,
    lesson_ids: module_id === null ? numbers(outline.ungrouped_lesson_ids) : (wanted.get(module_id) ?? []),
  }));
}

function movesOf(value: unknown): Move[] {
  return records(value).flatMap((row) => {
    const [lesson_id, position] = [number(row.lesson_id), number(row.position)];
    const module_id = number(row.module_id) ?? null;
    return lesson_id === undefined || position === undefined ? [] : [{ lesson_id, module_id, position }];
  });
}

/** The order that the arguments of plan_course_outline request, adapted to the course. */
export function requestedTarget(course: Course, { outline, moves }: Json): Target {
  if (outline !== undefined) return rebased(course, targetOfOutline(course, record(outline)), course);
  return moves === undefined ? currentTarget(course) : movedLists(course, movesOf(moves));
}

export function editsOf(lessons: unknown): LessonChange[] {
  return records(lessons).flatMap((row) => {
    const [lesson_id, title] = [number(row.lesson_id), text(row.title)];
    return lesson_id === undefined ? [] : [{ lesson_id, title, is_published: flag(row.is_published) }];
  });
}

/** Moves a lesson to an index of a list, counted without the lesson. */
export function moved(target: Target, id: number, module_id: number | null, index: number): Target {
  return target.map((list) => {
    const others = list.lesson_ids.filter((one) => one !== id);
    const ids = list.module_id === module_id ? others.toSpliced(index, 0, id) : others;
    return { module_id: list.module_id, lesson_ids: ids };
  });
}

/** The number of the list that has a lesson, and its place there. */
export function placeOf(target: Target, id: number) {
  const list = target.findIndex(({ lesson_ids }) => lesson_ids.includes(id));
  return list < 0 ? undefined : { list, index: target[list]?.lesson_ids.indexOf(id) ?? 0 };
}

/** Moves a lesson one place up or down, over the end of a list into the next one. */
export function stepped(target: Target, id: number, step: 1 | -1): Target {
  const position = placeOf(target, id);
  if (position === undefined) return target;
  const { list, index } = position;
  const own = target[list];
  const to = index + step;
  if (own !== undefined && to >= 0 && to < own.lesson_ids.length) return moved(target, id, own.module_id, to);
  const next = target[list + step];
  return next === undefined ? target : moved(target, id, next.module_id, step > 0 ? 0 : next.lesson_ids.length);
}

function publicationOf(was: boolean | undefined, becomes: boolean | undefined) {
  if (becomes !== undefined && becomes !== was) return becomes ? 'now published' : 'now unpublished';
  return was === false ? 'unpublished' : undefined;
}

/** `movedFrom`: the old list, if the lesson comes from another one; its own list, if it only moves within it. */
function markOf(lesson: Lesson, movedFrom: List | undefined, edit: LessonChange | undefined) {
  const { title = lesson.title, is_published } = edit ?? {};
  const oldTitle = title === lesson.title ? undefined : lesson.title;
  const publication = publicationOf(lesson.is_published, is_published);
  return { lesson: { ...lesson, title }, movedFrom, oldTitle, publication };
}

export type Mark = ReturnType<typeof markOf>;

/** The marks of every lesson, by id: as few lessons as possible count as moved. */
export function marksOf(course: Course, target: Target, edits: readonly LessonChange[]): ReadonlyMap<number, Mark> {
  const byEdit = new Map(edits.map((edit) => [edit.lesson_id, edit]));
  const places = placesOf(course);
  const homes = new Map(course.lists.flatMap((list) => list.lessons.map((lesson) => [lesson.id, { list, lesson }])));
  const marksIn = (list: TargetList): [number, Mark][] => {
    const staying = inOldOrder(list, places);
    return list.lesson_ids.flatMap((id): [number, Mark][] => {
      const home = homes.get(id);
      if (home === undefined) return [];
      return [[id, markOf(home.lesson, staying.has(id) ? undefined : home.list, byEdit.get(id))]];
    });
  };
  return new Map(target.flatMap(marksIn));
}

/** Puts a lesson behind the nearest lesson that is before it in the wanted list, or else first. */
function placed(target: Target, id: number, { module_id, lesson_ids }: TargetList): Target {
  const others = target.find((list) => list.module_id === module_id)?.lesson_ids.filter((one) => one !== id) ?? [];
  const before = lesson_ids.slice(0, lesson_ids.indexOf(id)).findLast((one) => others.includes(one));
  return moved(target, id, module_id, before === undefined ? 0 : others.indexOf(before) + 1);
}

/** The same moves in the course as others have changed it since. Lessons that the person has not moved stay there. */
export function rebased(old: Course, wanted: Target, course: Course): Target {
  const marks = marksOf(old, wanted, []);
  const modules = new Set(course.lists.map(({ module_id }) => module_id));
  const known = new Set(course.lists.flatMap(({ lessons }) => lessons.map(({ id }) => id)));
  const isMove = (id: number) => known.has(id) && marks.get(id)?.movedFrom !== undefined;
  return wanted
    .filter(({ module_id }) => modules.has(module_id))
    .reduce(
      (target, list) => list.lesson_ids.filter(isMove).reduce((next, id) => placed(next, id, list), target),
      currentTarget(course),
    );
}
