import type { List } from './course.ts';

/** A position from 1, or why no lesson can be created there. */
export type SequenceAt = { readonly sequence: number | undefined } | { readonly problem: string };

/**
 * The number for a new lesson at a position of a list, whose order must be clear. A free number, if there is one between
 * the neighbours. Otherwise that of the next lesson: the API may then shift the lessons behind it, or leave two identical
 * numbers. Undefined behind the last lesson, where the API places a lesson without a number.
 */
export function sequenceAt({ lessons }: Pick<List, 'lessons'>, position: number): SequenceAt {
  const most = lessons.length + 1;
  if (position > most) return { problem: `valid positions are 1 to ${most}` };
  if (position === most) return { sequence: undefined };
  const next = lessons[position - 1]?.sequence;
  if (next === undefined) return { problem: 'the API shows no sequence numbers for these lessons' };
  const previous = lessons[position - 2]?.sequence ?? -1;
  return { sequence: next - previous > 1 ? next - 1 : next };
}

/** Where a lesson is in its list; `position` counts from 1. */
export interface LandingPlace {
  readonly module_id: number | null;
  readonly position: number;
  readonly of: number;
}

/** The place of a lesson in its list. Without an id, that of the only lesson with the title there. */
export function landingIn(
  lists: readonly List[],
  { id, title, module_id }: { id?: number | undefined; title: string; module_id: number | null },
): (LandingPlace & { readonly lesson_id: number }) | undefined {
  const inModule = lists.find((list) => list.module_id === module_id)?.lessons ?? [];
  const namesakes = inModule.filter((lesson) => lesson.title === title);
  const wanted = id ?? (namesakes.length === 1 ? namesakes[0]?.id : undefined);
  if (wanted === undefined) return undefined;
  return lists
    .map((list) => ({ list, index: list.lessons.findIndex((lesson) => lesson.id === wanted) }))
    .filter(({ index }) => index >= 0)
    .map(({ list, index }) => ({
      lesson_id: wanted,
      module_id: list.module_id,
      position: index + 1,
      of: list.lessons.length,
    }))[0];
}
