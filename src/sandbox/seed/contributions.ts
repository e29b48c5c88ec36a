import type { AnswerRecord, ProjectPostRecord } from '../state/contributions.ts';
import { Records } from '../state/records.ts';
import type { StudentRecord } from '../state/students.ts';
import { answerText, projectPostText } from './contribution-texts.ts';
import { createRandom, type Random } from './random.ts';
import type { SeedData } from './seed-context.ts';

/** The API lists these without pages, so even a large academy has few. */
const maxAnswers = 240;
const maxProjectPosts = 90;

/** Answers to assignments, oldest first. Each author has completed the lesson. */
export function seedAnswers(data: SeedData): Records<AnswerRecord> {
  const random = createRandom(data.key, 'answers');
  const wanted = Math.min(maxAnswers, data.students.size * 2);
  const rows = contributors(data, random, wanted).flatMap(({ student, courseId, created_at }) => {
    const lesson = data.progress.completed(student.id, courseId).at(-1);
    if (lesson === undefined) return [];
    return [{ student_id: student.id, lesson_id: lesson, ...answerText(student, courseId, random), created_at }];
  });
  return new Records(rows.map((row, index) => ({ id: index + 1, ...row })));
}

/** Posts in projects, oldest first. Each author has the course of the project. */
export function seedProjectPosts(data: SeedData): Records<ProjectPostRecord> {
  const random = createRandom(data.key, 'project posts');
  const wanted = Math.min(maxProjectPosts, data.students.size);
  const projects = data.catalogue.projects.all();
  const rows = contributors(data, random, wanted).flatMap(({ student, courseId, created_at }) => {
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

/** Draws authors: buyers, each in a course of an order and some time after it. Sorted by time. */
function contributors(data: SeedData, random: Random, wanted: number): Contributor[] {
  const orders = data.orders.find({ status: 'paid' }).rows.filter((order) => order.courses.length > 0);
  if (orders.length === 0) return [];
  const drawn = Array.from({ length: wanted }).flatMap(() => {
    const order = random.pick(orders);
    const passed = Math.floor((data.now - order.created_at) * random.next());
    const student = data.students.get(order.student_id);
    const courseId = random.pick(order.courses);
    return student === undefined ? [] : [{ student, courseId, created_at: order.created_at + passed }];
  });
  return drawn.sort((a, b) => a.created_at - b.created_at);
}
