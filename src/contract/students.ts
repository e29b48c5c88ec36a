import * as z from 'zod';
import { defineOperation } from './operation.ts';
import { order } from './orders.ts';
import { percent } from './schemas/decimal.ts';
import { pageNumber, studentEmail } from './schemas/input-fields.ts';
import { listOf, openRecord } from './schemas/response.ts';
import { block, code, line, memberBlock, memberLine, unvalidated } from './schemas/response-text.ts';

// API document: "Student", "Endpoints / Students".

export const student = z.object({
  id: z.int(),
  name: memberLine('Student name'),
  email: memberLine('Student email'),
  created_at: code(),
  location: memberLine('Where the student lives').nullable(),
  facebook_link: memberLine('Facebook page').nullable(),
  twitter_link: memberLine('Twitter page').nullable(),
  enrolled: z.boolean(),
  admin: z.boolean(),
  is_active: z.boolean(),
  sign_in_count: z.int(),
  points: z.int(),
  completion_percent: percent('Overall, in percent'),
});

/** The document mentions these facts but not their keys. */
export const studentDetails = student.extend({
  paying_student: z.boolean(),
  total_completion: z.int(),
  lesson_views_count: z.int(),
  lesson_completions_count: z.int(),
  paid_orders: z.array(order),
  /** src/insights/students/courses-in-details.ts reads its forms. */
  enrolled_courses: unvalidated(z.array(z.object({ id: z.int(), title: line('Course title') }))),
});

const completedStudent = student.extend({ total_completion: z.int() });

/** The document does not show this record or the next: they have the fields of their webhook events, and more. */
export const assignmentAnswer = z.object({
  id: z.int(),
  student_id: z.int(),
  name: memberLine('Student name'),
  email: memberLine('Student email'),
  question: block('What was asked'),
  answer: memberBlock('What the student answered'),
  lesson: line('Lesson title'),
  lesson_id: z.int(),
  course_id: z.int(),
  created_at: code(),
});

export const projectPost = z.object({
  id: z.int(),
  student_id: z.int(),
  name: memberLine('Student name'),
  email: memberLine('Student email'),
  post: memberLine('Title of the post'),
  content: memberBlock('What the student wrote'),
  project_id: z.int(),
  project: line('Project title'),
  created_at: code(),
});

export const listStudents = defineOperation({
  id: 'students.listStudents',
  method: 'GET',
  path: '/api/v1/students',
  summary: 'Students, 50 per page.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_students',
  query: { page: pageNumber('From 1; 50 per page') },
  response: listOf(
    'students',
    student,
    z.object({ meta: z.object({ total_pages: z.int(), total_students: z.int() }) }),
  ),
});

export const getStudentDetails = defineOperation({
  id: 'students.getStudentDetails',
  method: 'GET',
  path: '/api/v1/students/details',
  summary: 'One student with activity counts, paid orders and enrolled courses.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_students',
  query: { email: studentEmail },
  response: openRecord('student', studentDetails),
});

export const listCompletedStudents = defineOperation({
  id: 'students.listCompletedStudents',
  method: 'GET',
  path: '/api/v1/students/completions',
  summary: 'Students whose total completion is at least 100 percent.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_students',
  response: listOf('students', completedStudent),
});

export const listAssignmentAnswers = defineOperation({
  id: 'students.listAssignmentAnswers',
  method: 'GET',
  path: '/api/v1/students/answers',
  summary: 'All assignment answers.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_students',
  response: listOf('answers', assignmentAnswer),
});

export const listProjectPosts = defineOperation({
  id: 'students.listProjectPosts',
  method: 'GET',
  path: '/api/v1/students/project-posts',
  summary: 'All project posts.',
  effect: 'read',
  repeat: 'safe',
  capability: 'read_students',
  response: listOf('project_posts', projectPost),
});
