import type { AnswerRecord, ProjectPostRecord } from '../state/contributions.ts';
import { Records } from '../state/records.ts';
import type { StudentRecord } from '../state/students.ts';
import { answerText, projectPostText } from './contribution-texts.ts';
import { createRandom, type Random } from './random.ts';
import type { SeedData } from './seed-context.ts';

/** Lists of these have no pages, so there are few even in a large academy. */
const maxAnswers = 240;
const maxProjectPosts = 90;

/** Answers to assignments, oldest first, each by somebody who has completed the lesson. */
export function seedAnswers(people: SeedData): Records<AnswerRecord> {
  const random = createRandom(people.key, 'answers');
  const wanted = Math.min(maxAnswers, people.students.size * 2);
  const rows = contributors(people, random, wanted).flatMap(({ student, courseId, created_at }) => {
    const lesson = people.progress.completed(student.id, courseId).at(-1);
    if (lesson === undefined) return [];
    return [{ student_id: student.id, lesson_id: lesson, ...answerText(student, courseId, random), created_at }];
  });
  return new Records(rows.map((row, index) => ({ id: index + 1, ...row })));
}

/** Posts in projects, oldest first, each by somebody who holds the course of the project. */
export function seedProjectPosts(people: SeedData): Records<ProjectPostRecord> {
  const random = createRandom(people.key, 'project posts');
  const wanted = Math.min(maxProjectPosts, people.students.size);
  const projects = people.catalogue.projects.all();
  const rows = contributors(people, random, wanted).flatMap(({ student, courseId, created_at }) => {
    const project = projects.find((candidate) => candidate.course_id === courseId);
    if (project === undefined) return [];
    return [
      { student_id: student.id, project_id: project.id, ...projectPostText(student, project, random), created_at },
    ];
  });
  return new Records(rows.map((row, index) => ({ id: index + 1, ...row })));
}

interface Contributor {
  readonly student: StudentRecord;
  readonly courseId: number;
  readonly created_at: number;
}

/** Some time after an order, in a course of that order; sorted by time. */
function contributors(people: SeedData, random: Random, wanted: number): Contributor[] {
  const orders = people.orders.find({ status: 'paid' }).rows.filter((order) => order.courses.length > 0);
  if (orders.length === 0) return [];
  const drawn = Array.from({ length: wanted }).flatMap(() => {
    const order = random.pick(orders);
    const passed = Math.floor((people.now - order.created_at) * random.next());
    const student = people.students.get(order.student_id);
    const courseId = random.pick(order.courses);
    return student === undefined ? [] : [{ student, courseId, created_at: order.created_at + passed }];
  });
  return drawn.sort((a, b) => a.created_at - b.created_at);
}
