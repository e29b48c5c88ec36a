import * as z from 'zod';
import { course, listCourses } from '../../../contract/courses.ts';
import { courseStructure } from '../../../contract/schemas/lesson.ts';
import type { Assumption } from '../assumption.ts';
import { repeatedLessons, sequenceDifferences, structureDifferences } from '../course-structure.ts';
import { fieldDifferences } from '../field-differences.ts';
import { listDifferences } from '../list-differences.ts';
import { differencesIn, differs, holds } from '../mask-value.ts';
import { column } from '../response-records.ts';
import { checkId } from '../value-checks.ts';

export const courseAssumptions: readonly Assumption[] = [
  {
    id: 'courses.list',
    statement: 'The list of courses is complete, under `courses`, and each entry is a record.',
    undocumented: 'Endpoints, Courses: documented; a limit is not shown',
    fallback: 'read: a bare list, or the only list in the answer',
    impact: 'these entries are missing from lists of courses',
    check: ({ courses }) => courses && listDifferences(courses, 'courses'),
  },
  {
    id: 'courses.item',
    statement: 'A course of the list has the documented fields with the documented types.',
    undocumented: 'Course: documented',
    fallback: 'read: answers leave out missing fields',
    impact: 'answers leave out these fields',
    check: ({ courses }) => courses && fieldDifferences(listCourses.response.item, courses.rows, ['id']),
  },
  {
    id: 'courses.id',
    statement: 'The id of a course is a whole number.',
    undocumented: 'Resources: documented',
    fallback: 'read: digits as text. Records with other ids cannot be requested',
    impact: 'no tool can name these courses',
    check: ({ courses }) => courses && differencesIn(column(courses.rows, 'id'), checkId),
  },
  {
    id: 'course.fields',
    statement: 'A course has the documented fields with the documented types.',
    undocumented: 'Course: documented; whether the record is bare is not shown',
    fallback: 'read: bare, under `course` or in a wrapper; answers leave out missing fields',
    impact: 'answers leave out these fields',
    check: ({ course: row }) => row && fieldDifferences(course, [row]),
  },
  {
    id: 'structure.fields',
    statement: '`course`, `modules` with their `lessons`, and `ungrouped_lessons` are all present.',
    undocumented: 'Course structure: documented',
    fallback:
      'counted as unreadable (`lessons`): a list that is null, missing or nested; no outline is planned from it',
    impact: 'the structure is incomplete, and plan_course_outline refuses to plan from it',
    check: ({ structure }) => structure && structureDifferences(structure),
  },
  {
    id: 'structure.course',
    statement: 'The structure contains its course with the documented fields.',
    undocumented: 'Course structure: documented',
    fallback: 'read: answers leave out missing fields',
    impact: 'answers leave out these fields',
    check: ({ structure }) => {
      if (structure === undefined) return undefined;
      const named = z.record(z.string(), z.unknown()).safeParse(structure.course);
      return named.success
        ? fieldDifferences(courseStructure.shape.course, [named.data])
        : differs('the course is missing');
    },
  },
  {
    id: 'structure.sequence',
    statement: 'Lessons and modules are listed in the order of `sequence`: whole numbers, each once in its list.',
    undocumented: 'Course structure: "ordered"; by what, and whether numbers may repeat, is not shown',
    fallback: 'read: sorted by `sequence`. Cannot tell: null, repeated or unreadable numbers; the answer warns',
    impact: 'the order of lessons is uncertain, and apply_course_outline refuses lists with an unclear order',
    check: ({ structure }) => structure && sequenceDifferences(structure),
  },
  {
    id: 'structure.once',
    statement: 'A lesson is listed once.',
    undocumented: 'Course structure: documented only for lessons without a module',
    fallback: 'cannot tell: the answer warns, and no outline is planned from it',
    impact: 'lessons are counted twice, and plan_course_outline refuses to plan from it',
    check: ({ structure }) => {
      const repeated = structure && repeatedLessons(structure);
      if (repeated === undefined) return undefined;
      return repeated === 0 ? holds : differs(`lessons listed more than once: ${repeated}`);
    },
  },
];
