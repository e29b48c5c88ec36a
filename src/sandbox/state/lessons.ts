import type * as z from 'zod';
import type { courseModule, lesson } from '../../contract/schemas/lesson.ts';
import { Records } from './collections.ts';

export type ModuleRecord = Omit<z.infer<typeof courseModule>, 'lessons'> & { readonly course_id: number };

export type LessonRecord = z.infer<typeof lesson>;

/** Sequences may have gaps and duplicates. Of two identical ones, the older lesson comes first. */
export function sortBySequence<Row extends { readonly id: number; readonly sequence: number }>(rows: Row[]): Row[] {
  return rows.sort((a, b) => a.sequence - b.sequence || a.id - b.id);
}

export class Lessons extends Records<LessonRecord> {
  readonly modules: Records<ModuleRecord>;
  readonly #byCourse = new Map<number, LessonRecord[]>();

  constructor(modules: Iterable<ModuleRecord>, lessons: Iterable<LessonRecord>) {
    super();
    this.modules = new Records(modules);
    for (const lesson of lessons) this.add(lesson);
  }

  override add(lesson: LessonRecord): LessonRecord {
    this.#byCourse.set(lesson.course_id, [...this.ofCourse(lesson.course_id), lesson]);
    return super.add(lesson);
  }

  modulesOf(courseId: number): ModuleRecord[] {
    return sortBySequence(this.modules.all().filter((module) => module.course_id === courseId));
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
    const published = this.ofCourse(courseId).filter((lesson) => lesson.is_published);
    return new Set(published.map(({ id }) => id));
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
