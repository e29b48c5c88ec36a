import type { Course, Lesson, List } from '../../src/insights/outline/course.ts';
import { maxWeightSubsequence } from '../../src/insights/outline/max-weight-subsequence.ts';
import type { TargetList } from '../../src/insights/outline/moves.ts';
import { currentTarget, type Edit, moved, type Target } from './target.ts';

/** What happens to a lesson. */
export interface Mark {
  readonly lesson: Lesson;
  /** The old list, if the lesson comes from another one; its own list, if it only moves within it. */
  readonly movedFrom: List | undefined;
  readonly oldTitle: string | undefined;
  readonly publication: 'now published' | 'now unpublished' | 'unpublished' | undefined;
}

function stayingIn(list: TargetList, old: ReadonlyMap<number, number>): ReadonlySet<number> {
  const { lesson_ids } = list;
  const candidates = lesson_ids.flatMap((id, index) => (old.has(id) ? [{ index, worth: 1 }] : []));
  const oldIndex = (index: number) => old.get(lesson_ids[index] ?? -1) ?? (index < 0 ? -1 : Number.POSITIVE_INFINITY);
  const kept = maxWeightSubsequence(lesson_ids.length, candidates, (one, next) => oldIndex(one) < oldIndex(next));
  return new Set(kept.flatMap((index) => lesson_ids[index] ?? []));
}

function publicationOf(was: boolean | undefined, becomes: boolean | undefined): Mark['publication'] {
  if (becomes !== undefined && becomes !== was) return becomes ? 'now published' : 'now unpublished';
  return was === false ? 'unpublished' : undefined;
}

interface Home {
  readonly list: List;
  readonly lesson: Lesson;
}

function markOf({ list, lesson }: Home, isStaying: boolean, { title, is_published }: Partial<Edit> = {}): Mark {
  const isRenamed = title !== undefined && title !== lesson.title;
  return {
    lesson: isRenamed ? { ...lesson, title } : lesson,
    movedFrom: isStaying ? undefined : list,
    oldTitle: isRenamed ? lesson.title : undefined,
    publication: publicationOf(lesson.is_published, is_published),
  };
}

/** The marks of every lesson, by id: as few lessons as possible count as moved. */
export function marksOf({ lists }: Course, target: Target, edits: readonly Edit[]): ReadonlyMap<number, Mark> {
  const byEdit = new Map(edits.map((edit) => [edit.lesson_id, edit]));
  const homes = new Map(lists.flatMap((list) => list.lessons.map((lesson) => [lesson.id, { list, lesson }])));
  const marksIn = (list: TargetList): [number, Mark][] => {
    const own = lists.find(({ module_id }) => module_id === list.module_id);
    const staying = stayingIn(list, new Map(own?.lessons.map(({ id }, index) => [id, index])));
    return list.lesson_ids.flatMap((id): [number, Mark][] => {
      const home = homes.get(id);
      return home === undefined ? [] : [[id, markOf(home, staying.has(id), byEdit.get(id))]];
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
