import type { searchPosts } from '../../contract/community.ts';
import type { getCourseStructure, listCourses } from '../../contract/courses.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import type { listStudents } from '../../contract/students.ts';
import { cleanText, cutAt } from '../../shared/clean-text.ts';
import type { Cell } from '../engine/messages.ts';
import type { TimeCells } from './calendar.ts';
import { emailCells, flagCell, lineCell, numberCell } from './cells.ts';

// A row of each table, with its columns in the order of src/mirror/schema/tables.ts.

type Calendar = (written: string | undefined) => TimeCells;
type Student = ParsedResponse<(typeof listStudents)['response']>['items'][number];
type Course = ParsedResponse<(typeof listCourses)['response']>['items'][number];
type Structure = ParsedResponse<(typeof getCourseStructure)['response']>;
type Post = ParsedResponse<(typeof searchPosts)['response']>['items'][number];

/** Characters of a post. A statement reads at most 30,000 bytes of one value. */
const maxContent = 5_000;

export function studentRow(student: Student, calendar: Calendar): Cell[] {
  return [
    numberCell(student.id),
    ...emailCells(student.email),
    lineCell(student.name),
    ...calendar(student.created_at),
    lineCell(student.location),
    flagCell(student.enrolled),
    flagCell(student.admin),
    flagCell(student.is_active),
    numberCell(student.sign_in_count),
    numberCell(student.points),
    numberCell(student.completion_percent),
  ];
}

export function courseRow({ id, title, price, sold_separately }: Course): Cell[] {
  return [numberCell(id), lineCell(title), lineCell(price), flagCell(sold_separately)];
}

type Lesson = NonNullable<Structure['ungrouped_lessons']>[number];

function lessonRow(lesson: Lesson, course: number, module: number | undefined): Cell[] {
  const { id, title, sequence, is_published, lesson_type } = lesson;
  const place = [numberCell(course), numberCell(module)];
  return [
    numberCell(id),
    ...place,
    lineCell(title),
    numberCell(sequence),
    flagCell(is_published),
    lineCell(lesson_type),
  ];
}

/** The rows of a course in the tables `modules` and `lessons`. Leaves out records without an id. */
export function structureRows({ modules = [], ungrouped_lessons = [] }: Structure, course: number) {
  const inModules = modules.flatMap(({ id, lessons = [] }) => lessons.map((lesson) => lessonRow(lesson, course, id)));
  const ungrouped = ungrouped_lessons.map((lesson) => lessonRow(lesson, course, undefined));
  const rows = modules.map(({ id, title, sequence, is_published }): Cell[] => {
    return [numberCell(id), course, lineCell(title), numberCell(sequence), flagCell(is_published)];
  });
  const hasId = ([id]: readonly Cell[]) => typeof id === 'number';
  return { modules: rows.filter(hasId), lessons: [...inModules, ...ungrouped].filter(hasId) };
}

export function postRow(post: Post, channel: string, calendar: Calendar): Cell[] {
  const { id, topic, author, created_at, content } = post;
  return [
    numberCell(id),
    channel,
    numberCell(topic?.id),
    lineCell(topic?.title),
    lineCell(author?.name),
    lineCell(author?.slug),
    ...calendar(created_at),
    content === undefined ? null : cutAt(cleanText(content), maxContent),
  ];
}
