import * as z from 'zod';
import { course, listCourses } from '../../../contract/courses.ts';
import { courseStructure } from '../../../contract/schemas/lesson.ts';
import type { Assumption } from '../assumption.ts';
import { repeatedLessons, sequenceDifferences, structureDifferences } from '../course-structure.ts';
import { fieldDifferences } from '../field-differences.ts';
import { column } from '../response-records.ts';
import { asId } from '../value-checks.ts';
import { differencesIn, differs, holds } from '../value-shapes.ts';

export const courseAssumptions: readonly Assumption[] = [
  {
    id: 'courses.list',
    assumed: 'The list of courses is whole, under `courses`, and each entry is a record.',
    silent: 'Endpoints, Courses: documented; a limit is not shown',
    otherwise: 'read: a bare list or the only list of the answer',
    costs: 'these entries are missing from lists of courses',
    check: ({ courses }) => {
      if (courses === undefined) return undefined;
      const elsewhere = courses.key === 'courses' ? [] : differs('the list is under another key', true);
      return [...(courses.strange > 0 ? differs(`entries that are no records: ${courses.strange}`) : []), ...elsewhere];
    },
  },
  {
    id: 'courses.item',
    assumed: 'A course of the list has the documented fields with the documented types.',
    silent: 'Course: documented',
    otherwise: 'read: what is missing is left out of answers',
    costs: 'answers leave these fields out',
    check: ({ courses }) => courses && fieldDifferences(listCourses.response.item, courses.rows, ['id']),
  },
  {
    id: 'courses.id',
    assumed: 'The id of a course is a whole number.',
    silent: 'Resources: documented',
    otherwise: 'read: digits as text. Other ids cannot be asked for',
    costs: 'no tool can name these courses',
    check: ({ courses }) => courses && differencesIn(column(courses.rows, 'id'), asId),
  },
  {
    id: 'course.fields',
    assumed: 'A course has the documented fields with the documented types.',
    silent: 'Course: documented; whether the record is bare is not shown',
    otherwise: 'read: bare, under `course` or in a wrapper; what is missing is left out of answers',
    costs: 'answers leave these fields out',
    check: ({ course: row }) => row && fieldDifferences(course, [row]),
  },
  {
    id: 'structure.fields',
    assumed: '`course`, `modules` with their `lessons`, and `ungrouped_lessons` are all there.',
    silent: 'Course structure: documented',
    otherwise:
      'counted as unreadable (`lessons`): a list that is null, missing or nested; no outline is planned from it',
    costs: 'the structure is incomplete, and plan_course_outline refuses to plan from it',
    check: ({ structure }) => structure && structureDifferences(structure),
  },
  {
    id: 'structure.course',
    assumed: 'The structure names its course with the documented fields.',
    silent: 'Course structure: documented',
    otherwise: 'read: what is missing is left out of answers',
    costs: 'answers leave these fields out',
    check: ({ structure }) => {
      if (structure === undefined) return undefined;
      const named = z.record(z.string(), z.unknown()).safeParse(structure.course);
      return named.success
        ? fieldDifferences(courseStructure.shape.course, [named.data])
        : differs('the course is not named');
    },
  },
  {
    id: 'structure.sequence',
    assumed: 'Lessons and modules are listed in the order of `sequence`: whole numbers, each once in its list.',
    silent: 'Course structure: "ordered"; by what, and whether numbers may repeat, is not shown',
    otherwise: 'read: sorted by `sequence`. Cannot tell: null, repeated or unreadable numbers; the answer warns',
    costs: 'the order of lessons is not certain, and apply_course_outline refuses lists whose order is not clear',
    check: ({ structure }) => structure && sequenceDifferences(structure),
  },
  {
    id: 'structure.once',
    assumed: 'A lesson is listed once.',
    silent: 'Course structure: documented for lessons without a module only',
    otherwise: 'cannot tell: the answer warns, and no outline is planned from it',
    costs: 'lessons are counted twice, and plan_course_outline refuses to plan from it',
    check: ({ structure }) => {
      const repeated = structure && repeatedLessons(structure);
      if (repeated === undefined) return undefined;
      return repeated === 0 ? holds : differs(`lessons listed more than once: ${repeated}`);
    },
  },
];
