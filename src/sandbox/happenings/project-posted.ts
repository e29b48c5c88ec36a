import * as z from 'zod';
import type { Random } from '../seed/random.ts';
import { projectPostTexts } from '../seed/texts/contributions.ts';
import type { Academy } from '../state/academy.ts';
import { heldCourses } from '../state/access.ts';
import { studentIdentity } from '../views/student.ts';
import { someStudents, studentWith } from './members.ts';

const input = z.strictObject({ email: z.string(), project_id: z.int(), title: z.string(), content: z.string() });

/** A post in the project of a course that the student holds. */
export function drawProjectPost(academy: Academy, random: Random) {
  const projects = academy.catalogue.projects.all();
  for (const student of someStudents(academy, random)) {
    const held = heldCourses(academy, student.id);
    const project = projects.find(({ course_id }) => held.includes(course_id));
    if (project !== undefined) {
      const [title, content] = random.pick(projectPostTexts);
      return { email: student.email, project_id: project.id, title, content };
    }
  }
  return undefined;
}

export function postInProject(given: unknown, academy: Academy): void {
  const { email, ...texts } = input.parse(given);
  const student = studentWith(academy, email);
  const { title } = academy.projectPosts.add({
    id: academy.projectPosts.nextId(),
    student_id: student.id,
    ...texts,
    created_at: academy.now().getTime(),
  });
  academy.emit('new_project_post', () => ({ ...studentIdentity(student), post: title }));
}
