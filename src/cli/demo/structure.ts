import * as z from 'zod';

const lesson = z.object({ id: z.int(), title: z.string(), sequence: z.int() });
const lessons = z.array(lesson).default([]);

/** The answer of get_course_structure, as far as a move needs it. */
export const structure = z.object({
  modules: z.array(z.object({ id: z.int(), title: z.string(), lessons })).default([]),
  ungrouped_lessons: lessons,
});

type Structure = z.output<typeof structure>;
type Lesson = z.output<typeof lesson>;

/** Where lessons stand. */
export interface Place {
  /** null: in no module. */
  moduleId: number | null;
  name: string;
  lessons: Lesson[];
}

export interface Move {
  lesson: Lesson;
  from: Place;
  to: Place;
  /** The sequence number behind the last lesson there. */
  sequence: number;
}

export function placesIn({ modules, ungrouped_lessons }: Structure): Place[] {
  const grouped = modules.map(({ id, title, lessons }) => ({ moduleId: id, name: `the module “${title}”`, lessons }));
  return [...grouped, { moduleId: null, name: 'no module', lessons: ungrouped_lessons }];
}

/** The last lesson of the first place that has several goes to the end of another. Throws where no lesson can go. */
export function planMove(course: Structure): Move {
  const places = placesIn(course);
  const from = places.find(({ lessons }) => lessons.length > 1);
  const to = places.find((place) => place !== from);
  const lesson = from?.lessons.at(-1);
  if (from === undefined || to === undefined || lesson === undefined)
    throw new Error('the course has no lesson to move');
  return { lesson, from, to, sequence: 1 + Math.max(-1, ...to.lessons.map(({ sequence }) => sequence)) };
}

/** The place of a lesson, or undefined. */
export function placeOf(course: Structure, lessonId: number): Place | undefined {
  return placesIn(course).find(({ lessons }) => lessons.some(({ id }) => id === lessonId));
}

function isHeading(line: string): boolean {
  return /^(Module \d|In no module:)/.test(line);
}

function isOf(heading: string, { moduleId }: Place): boolean {
  return moduleId === null ? heading.startsWith('In no module') : heading.startsWith(`Module ${moduleId} `);
}

/** The lines before the first part. */
export function opening(text: string): string[] {
  const lines = text.split('\n');
  return lines.slice(0, lines.findIndex(isHeading));
}

/** The tool's own text of the given places, and how many others there are. */
export function excerpt(text: string, shown: readonly Place[]): string[] {
  const lines = text.split('\n');
  const headings = lines.flatMap((line, index) => (isHeading(line) ? [index] : []));
  const parts = headings.map((start, index) => lines.slice(start, headings[index + 1]));
  const kept = parts.filter(([heading = '']) => shown.some((place) => isOf(heading, place)));
  const left = parts.length - kept.length;
  return [...kept.flat(), ...(left > 0 ? [`(${left} more parts of the course are left out here)`] : [])];
}
