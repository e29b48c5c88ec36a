import * as z from 'zod';
import { defineOperation } from './operation.ts';
import { bundleId, courseId, describedOnce, id, studentEmail, title } from './schemas/input-fields.ts';
import { objectResponse } from './schemas/response.ts';

// API document: "Student access management". It shows no response bodies.

export const acknowledgement = objectResponse(z.object({ success: z.boolean() }));

export const studentName = describedOnce(title("The student's name"));
const roleId = describedOnce(id('Role id, from list_roles'));

export const enrollStudent = defineOperation({
  id: 'access.enrollStudent',
  method: 'POST',
  path: '/api/v1/student/enroll',
  summary: 'Create or update a student; each given course or bundle becomes a paid order of amount 0.',
  effect: 'create',
  repeat: 'creates',
  capability: 'manage_student_access',
  checkWith: 'list_orders (user_email, status all) or get_student_details',
  changes: ['orders', 'students', 'completions'],
  undo: 'compensate',
  undoWith: 'a revocation takes it off every order that lists it; the empty order and a new student stay',
  body: {
    email: studentEmail,
    name: title("The student's name; needed for a new student").optional(),
    course_id: courseId.optional(),
    bundle_id: bundleId.optional(),
  },
  response: acknowledgement,
});

export const unenrollStudent = defineOperation({
  id: 'access.unenrollStudent',
  method: 'POST',
  path: '/api/v1/student/unenroll',
  summary: 'Set paying_student to false. The document states no other effect.',
  effect: 'destroy',
  repeat: 'same_effect',
  capability: 'manage_student_access',
  checkWith: 'get_student_details',
  changes: ['orders', 'students', 'completions'],
  undo: 'none',
  undoWith: 'nothing sets paying_student back for certain',
  body: { email: studentEmail, name: studentName },
  response: acknowledgement,
});

export const revokeCourse = defineOperation({
  id: 'access.revokeCourse',
  method: 'POST',
  path: '/api/v1/student/revoke-course',
  summary: "Remove a course from each of the student's orders.",
  effect: 'destroy',
  repeat: 'same_effect',
  capability: 'manage_student_access',
  checkWith: 'get_student_details and list_orders (user_email, status all)',
  changes: ['orders', 'students', 'completions'],
  undo: 'compensate',
  undoWith: 'enroll_student can grant it again, as a new order of amount 0, not the old one',
  body: { email: studentEmail, name: studentName, course_id: courseId },
  response: acknowledgement,
});

export const revokeBundle = defineOperation({
  id: 'access.revokeBundle',
  method: 'POST',
  path: '/api/v1/student/revoke-bundle',
  summary: "Remove a bundle, and the courses and digital products in it, from the student's orders.",
  effect: 'destroy',
  repeat: 'same_effect',
  capability: 'manage_student_access',
  checkWith: 'get_student_details and list_orders (user_email, status all)',
  changes: ['orders', 'students', 'completions'],
  undo: 'compensate',
  undoWith: 'enroll_student can grant it again, as a new order of amount 0, not the old one',
  body: { email: studentEmail, bundle_id: bundleId },
  response: acknowledgement,
});

export const grantRole = defineOperation({
  id: 'access.grantRole',
  method: 'POST',
  path: '/api/v1/student/grant-role',
  summary: 'Grant a role to a student.',
  effect: 'create',
  repeat: 'same_effect',
  capability: 'manage_student_access',
  checkWith: 'the platform itself: the API does not show the roles of a student',
  changes: ['orders', 'students', 'completions'],
  undo: 'compensate',
  undoWith: 'revoke_role takes it back',
  body: { email: studentEmail, role_id: roleId },
  response: acknowledgement,
});

export const revokeRole = defineOperation({
  id: 'access.revokeRole',
  method: 'POST',
  path: '/api/v1/student/revoke-role',
  summary: 'Revoke a role from a student.',
  effect: 'destroy',
  repeat: 'same_effect',
  capability: 'manage_student_access',
  checkWith: 'the platform itself: the API does not show the roles of a student',
  changes: ['orders', 'students', 'completions'],
  undo: 'compensate',
  undoWith: 'grant_role gives roles back',
  body: { email: studentEmail, role_id: roleId },
  response: acknowledgement,
});

export const resetCourseProgress = defineOperation({
  id: 'access.resetCourseProgress',
  method: 'POST',
  path: '/api/v1/student/reset-course-progress',
  summary: "Delete the student's completion and progress records of a course.",
  effect: 'destroy',
  repeat: 'time_bound',
  capability: 'manage_student_access',
  checkWith: 'get_course_completion',
  changes: ['orders', 'students', 'completions'],
  undo: 'none',
  undoWith: 'the deleted progress cannot be restored',
  body: { email: studentEmail, course_id: courseId },
  response: acknowledgement,
});

export const resetBundleProgress = defineOperation({
  id: 'access.resetBundleProgress',
  method: 'POST',
  path: '/api/v1/student/reset-bundle-progress',
  summary: "Delete the student's completion and progress records of every course of a bundle.",
  effect: 'destroy',
  repeat: 'time_bound',
  capability: 'manage_student_access',
  checkWith: 'get_course_completion for a course of the bundle',
  changes: ['orders', 'students', 'completions'],
  undo: 'none',
  undoWith: 'the deleted progress cannot be restored',
  body: { email: studentEmail, bundle_id: bundleId },
  response: acknowledgement,
});
