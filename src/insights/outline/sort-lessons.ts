import type * as z from 'zod';
import type { courseStructure } from '../../contract/schemas/lesson.ts';
import type { Tolerant } from '../../contract/schemas/response.ts';

export type ApiStructure = Tolerant<z.infer<typeof courseStructure>>;
type ApiModule = NonNullable<ApiStructure['modules']>[number];

export interface Numbered {
  readonly sequence?: number | undefined;
}

export function isAscending(list: readonly Numbered[]): boolean {
  return list.every(({ sequence = 0 }, index) => index === 0 || sequence >= (list[index - 1]?.sequence ?? 0));
}

/** Whether every entry has a sequence number. */
const isNumbered = (list: readonly Numbered[]) => list.every(({ sequence }) => sequence !== undefined);

/** Sorts entries by their sequence numbers if all have one. Entries with identical numbers keep their order. */
function inSequence<Entry extends Numbered>(list: readonly Entry[]): Entry[] {
  if (!isNumbered(list) || isAscending(list)) return [...list];
  return list.toSorted((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0));
}

/** Sorts the modules, and the lessons of each list, by sequence number: the API may list them in another order. */
export function bySequence({ modules, ungrouped_lessons, ...rest }: ApiStructure): ApiStructure {
  const ordered = modules?.map(({ lessons, ...module }): ApiModule => {
    return { ...module, ...(lessons === undefined ? {} : { lessons: inSequence(lessons) }) };
  });
  return {
    ...rest,
    ...(ordered === undefined ? {} : { modules: inSequence(ordered) }),
    ...(ungrouped_lessons === undefined ? {} : { ungrouped_lessons: inSequence(ungrouped_lessons) }),
  };
}
