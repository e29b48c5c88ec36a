import type { ProjectRecord } from '../state/catalogue.ts';
import type { StudentRecord } from '../state/students.ts';
import { pickText } from './pick-text.ts';
import type { Random } from './random.ts';
import { assignments, promptInjectionAnswers } from './texts/assignments.ts';
import { projectPosts, promptInjectionPosts } from './texts/project-posts.ts';

/** The share of contributions with a prompt injection. */
const injectionShare = 0.05;

/** A question, and this student's answer to it in a lesson of that course. */
export function answerText(student: StudentRecord, courseId: number, random: Random) {
  const { question, answers } = random.pick(assignments);
  const isInjection = random.chance(injectionShare);
  const answer = isInjection ? random.pick(promptInjectionAnswers) : pickText(answers, student, courseId, random).text;
  return { question, answer };
}

/** A post of this student in that project. */
export function projectPostText(student: StudentRecord, project: ProjectRecord, random: Random) {
  const isInjection = random.chance(injectionShare);
  const { title, text } = isInjection
    ? random.pick(promptInjectionPosts)
    : pickText(projectPosts, student, project.id, random);
  return { title, content: text };
}
