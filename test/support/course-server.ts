import { expect } from 'vitest';
import * as z from 'zod';
import { type Row, row } from './academy.ts';
import { type ClientOptions, connect, type ToolAnswer } from './connect.ts';
import { startRecorder } from './recorder.ts';

export interface ServedLesson {
  id: number;
  module_id: number | null;
  title: string;
  sequence: number;
  is_published: boolean;
}

type ServedModule = Pick<ServedLesson, 'id' | 'title'> & Partial<Pick<ServedLesson, 'is_published'>>;

/** The result of a PATCH: an error, or a connection that is cut before (`cut`) or after it was done (`lost`). */
export type PatchResult = number | 'cut' | 'lost' | undefined;

/** A small API with one course, which others can change and which can fail during a test. */
export type CourseServer = Awaited<ReturnType<typeof startCourse>>;

const change = z.looseObject({ sequence: z.number().optional() });

/** This number of lessons in each of two modules, 101 and 102, numbered by tens. */
export function lessonsIn(each: number, titleOf = (id: number) => `Lesson ${id}`): ServedLesson[] {
  return Array.from({ length: 2 * each }, (_, index) => {
    const module_id = index < each ? 101 : 102;
    const sequence = (index % each) * 10;
    return { id: index + 1, module_id, title: titleOf(index + 1), sequence, is_published: true };
  });
}

function createCourse(lessons: ServedLesson[]) {
  const listOf = (moduleId: number | null): ServedLesson[] =>
    course.lessons
      .filter(({ module_id }) => module_id === moduleId)
      .sort((one, other) => one.sequence - other.sequence || one.id - other.id);
  const shownIn = (moduleId: number | null): unknown[] =>
    listOf(moduleId).map((lesson) =>
      Object.fromEntries(Object.entries(lesson).filter(([name]) => !course.hidden.includes(name))),
    );
  const course = {
    modules: [101, 102].map((id): ServedModule => ({ id, title: `Module ${id}` })),
    lessons,
    /** Whether a written sequence is a position, from 0, that moves the following lessons. */
    pushes: false,
    /** Fields of a lesson that the API does not show. */
    hidden: [] as readonly string[],
    /** Called before a PATCH is done, with the number of PATCHes so far, and before a course is shown. */
    onPatch: (_count: number): PatchResult | Promise<PatchResult> => undefined,
    onRead: (): number | undefined => undefined,
    /** The body of a refused PATCH. */
    said: {} as unknown,
    /** The bodies of the received PATCHes, with the lesson. */
    patches: [] as Record<string, unknown>[],
    write: (id: number, { sequence, ...others }: Partial<ServedLesson>) => {
      const lesson = course.lessons.find((other) => other.id === id);
      if (lesson === undefined) return;
      Object.assign(lesson, others);
      if (sequence !== undefined) lesson.sequence = sequence;
      if (sequence === undefined || !course.pushes) return;
      const all = listOf(lesson.module_id).filter((other) => other !== lesson);
      all.splice(sequence, 0, lesson);
      for (const [index, other] of all.entries()) other.sequence = index;
    },
    drop: (id: number) => {
      course.lessons = course.lessons.filter((lesson) => lesson.id !== id);
    },
    /** Ids by list, in the order that a student sees. */
    order: () => [101, 102, null].map((id) => listOf(id).map((lesson) => lesson.id)),
    shown: () => ({
      course: { id: 14, title: 'Course' },
      modules: course.modules.map((module) => ({ ...module, lessons: shownIn(module.id) })),
      ungrouped_lessons: shownIn(null),
    }),
  };
  return course;
}

export async function startCourse(lessons: ServedLesson[]) {
  const course = createCourse(lessons);
  const { url } = await startRecorder(async ({ method, path, body }) => {
    if (method === 'GET') {
      const status = course.onRead() ?? 200;
      return { status, body: status === 200 ? course.shown() : {} };
    }
    const lesson_id = Number(path.split('/').at(-1));
    const sent: Record<string, unknown> = change.parse(body);
    course.patches.push({ lesson_id, ...sent });
    const result = await course.onPatch(course.patches.length);
    if (typeof result === 'number') return { status: result, body: course.said };
    if (result === 'cut') return 'cut';
    if (!course.lessons.some(({ id }) => id === lesson_id)) return { status: 404, body: {} };
    course.write(lesson_id, sent);
    return result === 'lost' ? 'cut' : { body: { lesson: { id: lesson_id } } };
  });
  return Object.assign(course, { url });
}

/** The course of `startCourse`. */
export const course_id = 14;

/** A course and a client for it, with the common steps of outline tests. */
export async function startOutlined(
  lessons: ServedLesson[],
  settings: Record<string, string> = {},
  options: ClientOptions = {},
) {
  const course = await startCourse(lessons);
  const connection = await connect({ ACADEMY_BASE_URL: course.url, ACADEMY_RATE_LIMIT: 'off', ...settings }, options);
  const { call } = connection;
  const plan = (question: Row) => call('plan_course_outline', { course_id, ...question });
  const apply = (question: Row) => call('apply_course_outline', { course_id, confirm: true, ...question });

  async function planned(question: Row): Promise<Row> {
    const answer = await plan(question);
    expect(answer.isError, answer.text).toBe(false);
    return { ...question, base_version: row(answer.structured).base_version };
  }

  return {
    ...connection,
    course,
    plan,
    apply,
    planned,
    /** Plans and applies an outline, and returns the data of the answer. */
    done: async (question: Row) => dataOf(await apply(await planned(question))),
  };
}

export function dataOf({ isError, text, structured }: ToolAnswer): Row {
  expect(isError, text).toBe(false);
  return row(structured);
}

/** An outline with these ids in modules 101 and 102, and in no module. */
export function outlineOf([first = [], second = [], ungrouped_lesson_ids = []]: unknown[][]) {
  const modules = [
    { module_id: 101, lesson_ids: first },
    { module_id: 102, lesson_ids: second },
  ];
  return { modules, ungrouped_lesson_ids };
}

/** Every list in reverse order. */
export const turned = (order: unknown[][]) => outlineOf(order.map((ids) => ids.toReversed()));
