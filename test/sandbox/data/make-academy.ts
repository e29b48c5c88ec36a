import { createAcademy } from '../../../src/sandbox/create-academy.ts';
import { Problem } from '../../../src/sandbox/problem.ts';
import type { Academy, AcademySettings } from '../../../src/sandbox/state/academy.ts';

export const seededUntil = new Date('2026-03-01T12:00:00.000Z');
/** When the tests' own writes happen. */
export const laterThatDay = new Date('2026-03-01T18:30:00.000Z');

/** A small academy of the test's own. */
export function makeAcademy(settings: Partial<AcademySettings> = {}): Academy {
  return createAcademy({
    seed: 7,
    students: 60,
    orders: 400,
    now: seededUntil,
    subdomain: 'harbour',
    plan: 'standard',
    sequence: 'absolute',
    clock: () => laterThatDay,
    protectedCourses: [],
    ...settings,
  });
}

/** What a handler refused the request with. */
export function refusal(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('the request was not refused');
}

/** The events of an academy from now on, in order. */
export function listen(academy: Academy): { name: string; payload: unknown }[] {
  const heard: { name: string; payload: unknown }[] = [];
  academy.onEvent = (name, payload) => void heard.push({ name, payload });
  return heard;
}

/** Ends the test when there is nothing. */
export function the<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('there is nothing like that in the seeded academy');
  return value;
}
