import * as z from 'zod';
import type { DemoContext } from './stage.ts';

const lessons = z.array(z.object({ id: z.int(), title: z.string() })).default([]);

/** The answer of get_course_structure and of the HTTP API behind it, as far as a move needs it. */
export const structure = z.object({
  modules: z.array(z.object({ id: z.int(), title: z.string(), lessons })).default([]),
  ungrouped_lessons: lessons,
});

type Structure = z.output<typeof structure>;

/** Where lessons stand. */
export interface Place {
  /** null: in no module. */
  moduleId: number | null;
  name: string;
  lessons: Structure['ungrouped_lessons'];
}

export interface Move {
  lesson: Place['lessons'][number];
  to: Place;
  /** Place in the list at the end, from 1. */
  position: number;
}

function placesIn({ modules, ungrouped_lessons }: Structure): Place[] {
  const grouped = modules.map(({ id, title, lessons }) => ({ moduleId: id, name: `the module “${title}”`, lessons }));
  return [...grouped, { moduleId: null, name: 'no module', lessons: ungrouped_lessons }];
}

/**
 * The last lesson of the first place that has several goes behind the first of another: where numbers are taken, so that
 * there is something to plan. Throws where no lesson can go.
 */
export function chooseMove(course: Structure): Move {
  const places = placesIn(course);
  const from = places.find(({ lessons }) => lessons.length > 1);
  const to = places.find((place) => place !== from);
  const lesson = from?.lessons.at(-1);
  if (to === undefined || lesson === undefined) throw new Error('the course has no lesson to move');
  return { lesson, to, position: Math.min(2, to.lessons.length + 1) };
}

/** Ids of lessons, by place, in their order. */
export type Order = readonly (readonly number[])[];

export function orderOf(course: Structure): Order {
  return placesIn(course).map(({ lessons }) => lessons.map(({ id }) => id));
}

/** The order that a move asks for, worked out without the planner: one id taken out and put in. */
export function orderAfter(course: Structure, { lesson, to, position }: Move): Order {
  return placesIn(course).map(({ moduleId, lessons }) => {
    const ids = lessons.map(({ id }) => id).filter((id) => id !== lesson.id);
    return moduleId === to.moduleId ? ids.toSpliced(position - 1, 0, lesson.id) : ids;
  });
}

/** The order as it is, straight from the HTTP API: no server of ours reads it. */
export async function fetchOrder(
  { sandbox, signal }: Pick<DemoContext, 'sandbox' | 'signal'>,
  id: number,
): Promise<Order> {
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  const response = await fetch(`${sandbox.url}/api/v1/courses/${id}/lessons`, { headers, signal });
  if (!response.ok) throw new Error(`the raw structure could not be read: HTTP ${response.status}`);
  return orderOf(structure.parse(await response.json()));
}
