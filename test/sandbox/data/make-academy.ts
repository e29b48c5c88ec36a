import { createAcademy } from '../../../src/sandbox/create-academy.ts';
import { Problem } from '../../../src/sandbox/handler.ts';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import type { Academy, AcademySettings } from '../../../src/sandbox/state/academy.ts';
import type { StudentRecord } from '../../../src/sandbox/state/students.ts';

export const seededUntil = new Date('2026-03-01T12:00:00.000Z');
/** The time of writes after the seed. */
export const laterThatDay = new Date('2026-03-01T18:30:00.000Z');

/** A small academy, new for each test. */
export function makeAcademy(settings: Partial<AcademySettings> = {}): Academy {
  const academy = createAcademy({
    seed: 7,
    students: 60,
    orders: 400,
    now: seededUntil,
    subdomain: 'harbour',
    plan: 'standard',
    sequence: 'absolute',
    protectedCourses: [],
    ...settings,
  });
  academy.now = () => laterThatDay;
  return academy;
}

/** Enrolls a new student, Ada, with these products. */
export function enrollAda(academy: Academy, products: { course_id?: number; bundle_id?: number } = {}): StudentRecord {
  const ada = { email: 'ada@example.org', name: 'Ada' };
  handlers['access.enrollStudent']({ ...ada, ...products }, academy);
  return required(academy.students.withEmail(ada.email));
}

/** The Problem that a handler throws. Fails the test if it throws none. */
export function rejection(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('the request was accepted');
}

/** Records the events of an academy from now on, in order. */
export function recordEvents(academy: Academy): { name: string; payload: unknown }[] {
  const emitted: { name: string; payload: unknown }[] = [];
  academy.emit = (name, payload) => void emitted.push({ name, payload: payload() });
  return emitted;
}

/** Fails the test if the value is undefined. */
export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the seeded academy has no such record');
  return value;
}
