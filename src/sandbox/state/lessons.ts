import { Records } from './collections.ts';

export interface ModuleRecord {
  readonly id: number;
  readonly course_id: number;
  readonly title: string;
  readonly sequence: number;
  readonly is_published: boolean;
}

/** Fields have the API's names. */
export interface LessonRecord {
  readonly id: number;
  readonly course_id: number;
  title: string;
  content: string | null;
  module_id: number | null;
  is_published: boolean;
  lesson_type: string;
  points: number | null;
  sequence: number;
  learning_objective: string | null;
  video_embed: string | null;
  video_url: string | null;
  release_day: number | null;
  requires_unlock: boolean;
}

/** Sequences may have gaps and duplicates. Of two identical ones, the older lesson comes first. */
export function sortBySequence<Row extends { readonly id: number; readonly sequence: number }>(rows: Row[]): Row[] {
  return rows.sort((a, b) => a.sequence - b.sequence || a.id - b.id);
}

/** The modules and lessons of all courses. */
export class Lessons {
  readonly #modules: Records<ModuleRecord>;
  readonly #lessons: Records<LessonRecord>;
  readonly #byCourse = new Map<number, LessonRecord[]>();
  readonly #published = new Map<number, ReadonlySet<number>>();

  constructor(modules: Iterable<ModuleRecord>, lessons: Iterable<LessonRecord>) {
    this.#modules = new Records(modules);
    this.#lessons = new Records();
    for (const lesson of lessons) this.add(lesson);
  }

  get(id: number): LessonRecord | undefined {
    return this.#lessons.get(id);
  }

  module(id: number): ModuleRecord | undefined {
    return this.#modules.get(id);
  }

  all(): LessonRecord[] {
    return this.#lessons.all();
  }

  nextId(): number {
    return this.#lessons.nextId();
  }

  modulesOf(courseId: number): ModuleRecord[] {
    return sortBySequence(this.#modules.all().filter((module) => module.course_id === courseId));
  }

  ofCourse(courseId: number): LessonRecord[] {
    return sortBySequence([...(this.#byCourse.get(courseId) ?? [])]);
  }

  /** The lessons of a module, or the ungrouped lessons of the course, in order. */
  siblings(courseId: number, moduleId: number | null): LessonRecord[] {
    return this.ofCourse(courseId).filter((lesson) => lesson.module_id === moduleId);
  }

  /** Ids of the lessons that count for completion. */
  publishedIds(courseId: number): ReadonlySet<number> {
    const known = this.#published.get(courseId);
    if (known !== undefined) return known;
    const ids = new Set(
      this.ofCourse(courseId)
        .filter((lesson) => lesson.is_published)
        .map((lesson) => lesson.id),
    );
    this.#published.set(courseId, ids);
    return ids;
  }

  add(lesson: LessonRecord): void {
    this.#lessons.add(lesson);
    const ofCourse = this.#byCourse.get(lesson.course_id);
    if (ofCourse === undefined) this.#byCourse.set(lesson.course_id, [lesson]);
    else ofCourse.push(lesson);
    this.#published.delete(lesson.course_id);
  }

  update(lesson: LessonRecord, changes: Partial<LessonRecord>): void {
    Object.assign(lesson, changes);
    this.#published.delete(lesson.course_id);
  }
}

/** The meaning of a given sequence: the stored number, or a position from 0 that shifts the other lessons. */
export type SequenceMode = 'absolute' | 'shift';

/** The sequence of a lesson created without one: last in its module, or, outside modules, last in the course. */
export function sequenceAfterOthers(lessons: Lessons, courseId: number, moduleId: number | null): number {
  const others = moduleId === null ? lessons.ofCourse(courseId) : lessons.siblings(courseId, moduleId);
  return others.reduce((highest, lesson) => Math.max(highest, lesson.sequence), -1) + 1;
}

/** Moves a lesson among its siblings. Its module is set already. */
export function placeLesson(lessons: Lessons, lesson: LessonRecord, sequence: number, mode: SequenceMode): void {
  if (mode === 'absolute') {
    lesson.sequence = sequence;
    return;
  }
  const siblings = lessons.siblings(lesson.course_id, lesson.module_id).filter((other) => other.id !== lesson.id);
  siblings.splice(sequence, 0, lesson);
  for (const [position, sibling] of siblings.entries()) sibling.sequence = position;
}
