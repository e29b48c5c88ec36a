import * as z from 'zod';
import { projectPostText } from '../seed/pick-text.ts';
import type { Random } from '../seed/random.ts';
import type { Academy } from '../state/academy.ts';
import { heldCourses } from '../state/held-products.ts';
import { studentIdentity } from '../views/student.ts';
import { randomStudents, recordVisit } from './active-students.ts';

const input = z.strictObject({ email: z.string(), project_id: z.int(), title: z.string(), content: z.string() });

/** Draws a post in the project of a course that the student has. */
export function drawProjectPost(academy: Academy, random: Random) {
  const projects = academy.catalogue.projects.all();
  for (const student of randomStudents(academy, random)) {
    const held = heldCourses(academy, student.id);
    const project = projects.find(({ course_id }) => held.includes(course_id));
    if (project !== undefined) {
      return { email: student.email, project_id: project.id, ...projectPostText(student, project, random) };
    }
  }
  return undefined;
}

export function postInProject(given: unknown, academy: Academy): void {
  const { email, ...texts } = input.parse(given);
  const student = recordVisit(academy, email);
  const { title } = academy.projectPosts.add({
    id: academy.projectPosts.nextId(),
    student_id: student.id,
    ...texts,
    created_at: academy.now().getTime(),
  });
  academy.emit('new_project_post', () => ({ ...studentIdentity(student), post: title }));
}
