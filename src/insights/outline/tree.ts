import { oneLine } from '../../clean.ts';
import { type Course, type Lesson, type List, listName, type Place, placesOf } from './course.ts';
import { dueChanges, type LessonChange } from './lesson-changes.ts';
import type { Target } from './target.ts';

/** What stands around a title leaves the line below 200 characters. */
const longestTitle = 150;

function lessonText({ id, title = '', is_published }: Lesson): string {
  const hidden = is_published === false ? ' (unpublished)' : '';
  return oneLine(`${id} ${title}${hidden}`, longestTitle);
}

function numbered(lines: readonly string[]): string[] {
  return lines.length === 0 ? ['    no lessons'] : lines.map((line, index) => `    ${index + 1}. ${line}`);
}

/** A lesson in its new list; one from another list tells where it stood. */
function arrival({ lesson, module_id, index }: Place, list: List): string {
  if (module_id === list.module_id) return lessonText(lesson);
  return `${lessonText(lesson)} <- ${module_id === null ? 'no module' : `module ${module_id}`}, ${index + 1}`;
}

function listLines(list: List, after: readonly Place[]): string[] {
  const isSame =
    after.length === list.lessons.length && after.every(({ lesson }, index) => lesson === list.lessons[index]);
  const name = oneLine(listName(list), longestTitle);
  if (isSame) return [`${name}: unchanged (${after.length} ${after.length === 1 ? 'lesson' : 'lessons'})`];
  return [
    name,
    '  before',
    ...numbered(list.lessons.map(lessonText)),
    '  after',
    ...numbered(after.map((place) => arrival(place, list))),
  ];
}

/** For each list that changes its lessons before and after, for each other one a line. */
export function treeText(course: Course, target: Target, changes: readonly LessonChange[] = []): string {
  const due = dueChanges(course, changes);
  const places = placesOf(course);
  for (const [id, changed] of due) {
    const place = places.get(id);
    if (place !== undefined) places.set(id, { ...place, lesson: { ...place.lesson, ...changed } });
  }
  const wanted = new Map(target.lists.map(({ module_id, lesson_ids }) => [module_id, lesson_ids]));
  const lines = course.lists.flatMap((list) =>
    listLines(
      list,
      (wanted.get(list.module_id) ?? []).flatMap((id) => places.get(id) ?? []),
    ),
  );
  return lines.join('\n');
}
