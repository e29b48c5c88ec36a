import { expect } from 'vitest';
import { type Row, row } from './academy.ts';
import { type ClientOptions, connect, type ToolAnswer } from './connect.ts';
import { type ServedLesson, startCourse } from './course-server.ts';

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
