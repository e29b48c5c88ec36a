import * as z from 'zod';
import type { DemoContext } from './demo-context.ts';

const lessons = z.array(z.object({ id: z.int(), title: z.string() })).default([]);

/** The fields of get_course_structure, and of the HTTP API behind it, that a move needs. */
export const structure = z.object({
  modules: z.array(z.object({ id: z.int(), title: z.string(), lessons })).default([]),
  ungrouped_lessons: lessons,
});

type Structure = z.output<typeof structure>;

/** A module, or the lessons without one. */
export interface Place {
  /** null: no module. */
  moduleId: number | null;
  name: string;
  lessons: Structure['ungrouped_lessons'];
}

export interface Move {
  lesson: Place['lessons'][number];
  to: Place;
  /** Position in the final list, from 1. */
  position: number;
}

function placesIn({ modules, ungrouped_lessons }: Structure): Place[] {
  const grouped = modules.map(({ id, title, lessons }) => ({ moduleId: id, name: `the module “${title}”`, lessons }));
  return [...grouped, { moduleId: null, name: 'no module', lessons: ungrouped_lessons }];
}

/**
 * Moves the last lesson of the first list with several lessons to position 2 of another list. Its sequence number is in use
 * there, so that there is something to plan. Throws if no lesson can move.
 */
export function chooseMove(course: Structure): Move {
  const places = placesIn(course);
  const from = places.find(({ lessons }) => lessons.length > 1);
  const to = places.find((place) => place !== from);
  const lesson = from?.lessons.at(-1);
  if (to === undefined || lesson === undefined) throw new Error('the course has no lesson to move');
  return { lesson, to, position: Math.min(2, to.lessons.length + 1) };
}

/** Lesson ids of each list, in order. */
export type Order = readonly (readonly number[])[];

export function orderOf(course: Structure): Order {
  return placesIn(course).map(({ lessons }) => lessons.map(({ id }) => id));
}

/** The expected order after a move, computed without the planner: one id is removed and inserted. */
export function orderAfter(course: Structure, { lesson, to, position }: Move): Order {
  return placesIn(course).map(({ moduleId, lessons }) => {
    const ids = lessons.map(({ id }) => id).filter((id) => id !== lesson.id);
    return moduleId === to.moduleId ? ids.toSpliced(position - 1, 0, lesson.id) : ids;
  });
}

/** Reads the current order directly from the HTTP API, without our server. */
export async function fetchOrder(
  { sandbox, signal }: Pick<DemoContext, 'sandbox' | 'signal'>,
  id: number,
): Promise<Order> {
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  const response = await fetch(`${sandbox.url}/api/v1/courses/${id}/lessons`, { headers, signal });
  if (!response.ok) throw new Error(`the raw structure could not be read: HTTP ${response.status}`);
  return orderOf(structure.parse(await response.json()));
}
