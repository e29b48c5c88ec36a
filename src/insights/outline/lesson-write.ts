import type { Place } from './course.ts';

/** One PATCH of a lesson: only the fields that it changes. */
export interface Write {
  readonly lesson_id: number;
  readonly module_id?: number | null;
  readonly sequence?: number;
  readonly title?: string;
  readonly is_published?: boolean;
}

/** The part of a write that moves a lesson to another list; empty if it is there already. */
export function intoList(moduleId: number | null, place: Place | undefined): Pick<Write, 'module_id'> {
  return place?.module_id === moduleId ? {} : { module_id: moduleId };
}

function turn({ is_published }: Pick<Write, 'is_published'>): number {
  if (is_published === undefined) return 1;
  return is_published ? 2 : 0;
}

/** Writes that hide a lesson go first, writes that publish one last: students see neither move. Otherwise the order stays. */
export function hiddenWhileMoved<T extends Pick<Write, 'is_published'>>(writes: readonly T[]): T[] {
  return writes.toSorted((one, other) => turn(one) - turn(other));
}
