import * as z from 'zod';
import { defineOperation } from './operation.ts';
import { percent } from './schemas/decimal.ts';
import { courseId, describedOnce, id, studentEmail, title } from './schemas/input-fields.ts';
import { courseStructure, lesson, lessonInput } from './schemas/lesson.ts';
import { bareRecord, keyedRecord, listOf, objectResponse } from './schemas/response.ts';
import { block, code, line, memberLine } from './schemas/response-text.ts';

// API document: "Course", "Role", "Course completion record", "Endpoints / Courses" with its rules for lessons.

const courseItem = z.object({
  id: z.int(),
  title: line('Course title'),
  sold_separately: z.boolean(),
  price: code('Decimal amount in the currency of the account'),
});

export const course = z.object({
  id: z.int(),
  title: line('Course title'),
  description: block('Course description'),
  slug: code(),
  sold_separately: z.boolean(),
  price: code('Decimal amount in the currency of the account'),
  is_published: z.boolean(),
  is_challenge: z.boolean(),
  cover_image_url: code(),
  cover_image_thumbnail_url: code(),
  stock_photo_image_url: code(),
  lesson_count: z.int(),
});

const role = z.object({ id: z.int(), name: line('Role name') });

export const courseCompletion = z.object({
  id: z.int().describe('Student id'),
  name: memberLine('Student name'),
  email: memberLine('Student email'),
  created_at: code(),
  enrolled: z.boolean(),
  admin: z.boolean(),
  is_active: z.boolean(),
  sign_in_count: z.int(),
  points: z.int(),
  completion_percent: percent('Overall, in percent'),
  course_completion_percent: percent('Of this course, in percent'),
});

export const listCourses = defineOperation({
  id: 'courses.listCourses',
  method: 'GET',
  path: '/api/v1/courses',
  summary: 'All published courses.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_courses',
  response: listOf('courses', courseItem),
});

export const getCourse = defineOperation({
  id: 'courses.getCourse',
  method: 'GET',
  path: '/api/v1/courses/:course_id',
  summary: 'One course.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_courses',
  params: { course_id: courseId },
  response: bareRecord('course', course),
});

export const listRoles = defineOperation({
  id: 'courses.listRoles',
  method: 'GET',
  path: '/api/v1/courses/roles',
  summary: 'The roles that can be granted to students.',
  effect: 'read',
  repeat: 'safe',
  capability: 'manage_student_access',
  response: listOf('roles', role),
});

export const getCourseCompletion = defineOperation({
  id: 'courses.getCourseCompletion',
  method: 'POST',
  path: '/api/v1/courses/:course_id/completion-percentage',
  summary: 'Completion of one student, overall and in one course. A POST that changes nothing.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_students',
  params: { course_id: courseId },
  body: { user_email: studentEmail },
  response: bareRecord('student', courseCompletion),
});

export const getCourseStructure = defineOperation({
  id: 'courses.getCourseStructure',
  method: 'GET',
  path: '/api/v1/courses/:course_id/lessons',
  summary: 'The modules of a course in order, with their lessons, and the lessons outside modules.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_course_structure',
  params: { course_id: courseId },
  response: objectResponse(courseStructure),
});

export const createLesson = defineOperation({
  id: 'courses.createLesson',
  method: 'POST',
  path: '/api/v1/courses/:course_id/lessons',
  summary: 'Add a lesson. Without sequence it comes last in its module or course.',
  effect: 'create',
  repeat: 'creates',
  capability: 'manage_lessons',
  checkWith: 'get_course_structure',
  changes: ['structures'],
  undo: 'hide',
  undoWith: 'update_lesson unpublishes it if it is published; nothing deletes it',
  params: { course_id: courseId },
  body: { title: describedOnce(title('Lesson title')), ...lessonInput },
  response: keyedRecord('lesson', lesson),
});

export const updateLesson = defineOperation({
  id: 'courses.updateLesson',
  method: 'PATCH',
  path: '/api/v1/lessons/:lesson_id',
  summary: 'Change only the given fields of a lesson.',
  effect: 'update',
  repeat: 'same_effect',
  capability: 'manage_lessons',
  checkWith: 'get_course_structure',
  changes: ['structures'],
  undo: 'restore',
  undoWith: 'the old values can be written back, as far as the API shows them',
  params: { lesson_id: describedOnce(id('Lesson id, from get_course_structure')) },
  body: { title: describedOnce(title('Lesson title')).optional(), ...lessonInput },
  response: keyedRecord('lesson', lesson),
});
