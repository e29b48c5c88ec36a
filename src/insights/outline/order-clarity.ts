import { isObject } from '../../shared/json.ts';
import { type ApiStructure, type Course, duplicates, isAscending, listed, type Numbered } from './course.ts';
import type { Target, TargetList } from './target.ts';

// Whether an answer shows the order of a course's lessons, and which parts of it could not be read.

type ApiLesson = NonNullable<ApiStructure['ungrouped_lessons']>[number];

function unclear(list: readonly Numbered[]): string | undefined {
  if (list.length < 2) return undefined;
  const without = list.filter(({ sequence }) => sequence === undefined).length;
  if (without > 0) return `the API shows no sequence number for ${without} of its ${list.length} lessons`;
  const isDoubled = duplicates(list.map(({ sequence }) => sequence)).length > 0;
  return isDoubled && !isAscending(list) ? 'some of its lessons have the same sequence number' : undefined;
}

const moduleText = (moduleId: number | null) => (moduleId === null ? 'in no module' : `of module ${moduleId}`);

/** Keys that may contain lessons and that nothing reads, such as a module in a module or one list of all lessons. */
const mayHoldLessons = /lesson|module|section|chapter|unit|child|item|content|step|data|record|result|included/i;

/** Whether a record has a list of records under an unread key, or in an object there. */
function holdsMore(record: object, read: readonly string[], depth = 0): boolean {
  return Object.entries(record).some(([key, value]) => {
    if (read.includes(key)) return false;
    if (Array.isArray(value)) return mayHoldLessons.test(key) && value.some(isObject);
    return depth < 2 && isObject(value) && holdsMore(value, [], depth + 1);
  });
}

const maxUncounted = 10_000;

/** How many lessons a record counts beyond those that it shows. */
function uncounted(record: object | undefined, shown: number): number {
  const { lesson_count: count }: { lesson_count?: unknown } = { ...record };
  return typeof count === 'number' ? Math.min(Math.max(0, Math.floor(count - shown)), maxUncounted) : 0;
}

/** Entries and lists that decoding left out. A module without its list of lessons is counted as such. */
const isLessonPath = (path: string) => /^\$\.(modules(\.\d+(\.lessons\.\d+)?)?|ungrouped_lessons(\.\d+)?)$/.test(path);

/** Judges how clear a structure is. `unread`: paths that decoding left out. */
export function clarityOf(structure: ApiStructure, unread: readonly string[]) {
  const { modules = [], ungrouped_lessons: loose = [] } = structure;
  const lists: [number | null, readonly ApiLesson[]][] = [
    ...modules.map(({ id, lessons = [] }): [number | null, ApiLesson[]] => [id ?? null, lessons]),
    [null, loose],
  ];
  const all = lists.flatMap(([, lessons]) => lessons);
  const isMissing = structure.modules === undefined && structure.ungrouped_lessons === undefined;
  const isOdd = holdsMore(structure, ['course', 'modules', 'ungrouped_lessons']) || (isMissing && unread.length === 0);
  const hidden = [
    unread.filter(isLessonPath).length,
    Number(isOdd),
    modules.filter((module) => holdsMore(module, ['lessons'])).length,
    modules.filter(({ id, lessons }) => id === undefined || lessons === undefined).length,
    all.filter(({ id }) => id === undefined).length,
    ...modules.map((module) => uncounted(module, module.lessons?.length ?? 0)),
    uncounted(structure.course, all.length),
  ];
  const repeated = duplicates(all.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const unclearLists = lists.flatMap(([id, lessons]): [number | null, string][] => {
    const why = unclear(lessons);
    return why === undefined ? [] : [[id, why]];
  });
  const moduleOrder = unclear(modules);
  return {
    unreadable: hidden.reduce((sum, count) => sum + count),
    /** Why the order of a list is not clear, by module id, null for the lessons in no module. */
    lists: new Map(unclearLists),
    doubts: [
      ...(repeated.length > 0 ? [`lessons are shown in more than one place: ${listed(repeated)}`] : []),
      ...(moduleOrder === undefined ? [] : ['the order of the modules is not clear']),
      ...unclearLists.map(([id, why]) => `the order of the lessons ${moduleText(id)} is not clear: ${why}`),
    ],
  };
}

/** Why the order of a list that a plan relies on is not clear. A plan with single moves relies on the lists that it changes. */
export function unclearIn(
  { lists }: ReturnType<typeof clarityOf>,
  course: Course,
  target: Target,
  isWhole: boolean,
): string | undefined {
  const isTouched = ({ module_id, lesson_ids }: TargetList) => {
    const shown = course.lists.find((list) => list.module_id === module_id)?.lessons.map(({ id }) => id) ?? [];
    return lists.has(module_id) && (isWhole || String(lesson_ids) !== String(shown));
  };
  const touched = target.find(isTouched);
  if (touched === undefined) return undefined;
  return `the order of the lessons ${moduleText(touched.module_id)} is not clear: ${lists.get(touched.module_id)}`;
}
