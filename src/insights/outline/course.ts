import type { getCourseStructure } from '../../contract/courses.ts';
import type { AnswerOf } from '../../contract/operation.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { firstOf } from '../../shared/invalid-input.ts';
import { asValue, quoted } from '../../shared/quote-text.ts';

/** A kind of mistake and the ids that make it; no mistake without ids. */
export type IdProblem = readonly [what: string, ids: readonly (number | string)[]];

const maxNamed = 30;

/** The first ids for a sentence, and how many more there are. */
export function listed(ids: readonly (number | string)[], max = maxNamed): string {
  return firstOf(ids.map(String), max, ', ');
}

export function problemText(problems: readonly IdProblem[]): string {
  return problems
    .filter(([, ids]) => ids.length > 0)
    .map(([what, ids]) => `${what}: ${listed([...new Set(ids)])}`)
    .join('; ');
}

/** Throws `invalid_input` with all mistakes at once, so that the caller can fix them in one go. */
export function refuseProblems(argument: string, problems: readonly IdProblem[]): void {
  const wrong = problemText(problems);
  if (wrong === '') return;
  throw new AcademyError('invalid_input', `${argument}: ${wrong}`, {
    hint: 'get_course_structure shows the modules and lessons of the course.',
  });
}

export function duplicates<T>(values: readonly T[]): T[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

export type ApiStructure = AnswerOf<typeof getCourseStructure>;

export interface Numbered {
  readonly sequence?: number | undefined;
}

export function isAscending(list: readonly Numbered[]): boolean {
  return list.every(({ sequence = 0 }, index) => index === 0 || sequence >= (list[index - 1]?.sequence ?? 0));
}

/** Sorts entries by their sequence numbers if all have one. Entries with identical numbers keep their order. */
function inSequence<Entry extends Numbered>(list: readonly Entry[]): Entry[] {
  const isNumbered = list.every(({ sequence }) => sequence !== undefined);
  if (!isNumbered || isAscending(list)) return [...list];
  return list.toSorted((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0));
}

/** Sorts the modules, and the lessons of each list, by sequence number: the API may list them in another order. */
export function bySequence({ modules, ungrouped_lessons, ...rest }: ApiStructure): ApiStructure {
  const ordered = modules?.map(({ lessons, ...module }) => ({ ...module, lessons: lessons && inSequence(lessons) }));
  return {
    ...rest,
    modules: ordered && inSequence(ordered),
    ungrouped_lessons: ungrouped_lessons && inSequence(ungrouped_lessons),
  };
}

export interface Lesson {
  readonly id: number;
  readonly title?: string | undefined;
  readonly sequence?: number | undefined;
  readonly is_published?: boolean | undefined;
  /** Not in the document's lesson summary; some platforms show it. */
  readonly release_day?: number | undefined;
}

/** The lessons of a module or, with `module_id` null, those in no module. By sequence number, if all have one. */
export interface List {
  readonly module_id: number | null;
  /** Title of the module; empty if there is none. */
  readonly title: string;
  readonly is_published?: boolean | undefined;
  readonly lessons: readonly Lesson[];
}

/** The modules in their order, then the list of the lessons in no module, which may be empty. */
export interface Course {
  readonly lists: readonly List[];
}

/** The place of a lesson; `index` counts from 0. */
export interface Place {
  readonly lesson: Lesson;
  readonly module_id: number | null;
  readonly index: number;
}

function unplannable(what: string): AcademyError {
  return new AcademyError('unexpected_response', `the API showed ${what}: this course cannot be planned`);
}

const shortly = (title: string) => quoted(oneLine(title, 80));

function lessonOf(shown: NonNullable<ApiStructure['ungrouped_lessons']>[number]): Lesson {
  const { id, title, sequence, is_published } = shown;
  if (id === undefined) throw unplannable(`a lesson without id${title === undefined ? '' : ` (${shortly(title)})`}`);
  const { release_day }: Record<string, unknown> = { ...shown };
  return { id, title, sequence, is_published, ...(typeof release_day === 'number' ? { release_day } : {}) };
}

function listOf({ id, title = '', is_published, lessons = [] }: NonNullable<ApiStructure['modules']>[number]): List {
  if (id === undefined) throw unplannable(`a module without id${title === '' ? '' : ` (${shortly(title)})`}`);
  return { module_id: id, title, is_published, lessons: lessons.map(lessonOf) };
}

/** Lessons by sequence number. Throws `unexpected_response` if an id is missing or occurs twice. */
export function structureOf(answer: ApiStructure): Course {
  const { modules = [], ungrouped_lessons = [] } = bySequence(answer);
  const lists = [...modules.map(listOf), { module_id: null, title: '', lessons: ungrouped_lessons.map(lessonOf) }];
  const [repeated] = duplicates(lists.flatMap(({ lessons }) => lessons.map(({ id }) => id)));
  if (repeated !== undefined) throw unplannable(`lesson ${repeated} twice`);
  const [repeatedModule] = duplicates(lists.map(({ module_id }) => module_id));
  if (repeatedModule !== undefined) throw unplannable(`module ${repeatedModule} twice`);
  return { lists };
}

export function placesOf({ lists }: Course): Map<number, Place> {
  const places = lists.flatMap(({ module_id, lessons }) =>
    lessons.map((lesson, index): Place => ({ lesson, module_id, index })),
  );
  return new Map(places.map((entry) => [entry.lesson.id, entry]));
}

/** The length of a shown title: the id identifies its module. */
const maxTitle = 130;

/** A list in words: `Module 201: Basics`, `Module 202 (unpublished): More`. */
export function listName({ module_id, title, is_published }: Omit<List, 'lessons'>): string {
  if (module_id === null) return 'In no module';
  // Before the title, so that a long title cannot hide it.
  const name = `Module ${module_id}${is_published === false ? ' (unpublished)' : ''}`;
  return title === '' ? name : `${name}: ${asValue(oneLine(title, maxTitle))}`;
}
