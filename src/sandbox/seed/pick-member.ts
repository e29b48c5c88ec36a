import type { StudentRecord } from '../state/students.ts';
import type { Random } from './random.ts';

const recentlyJoined = 60;

/** Picks the author of an order or post at a time, often a student who has just joined. Times must not go back. */
export function createMemberPicker(students: readonly StudentRecord[], random: Random) {
  let joined = 0;
  return {
    at(time: number): StudentRecord | undefined {
      while ((students[joined]?.created_at ?? Number.POSITIVE_INFINITY) <= time) joined += 1;
      return students[indexOf(Math.max(joined, 1), random)];
    },
  };
}

function indexOf(joined: number, random: Random): number {
  if (random.chance(0.45)) return joined - 1 - Math.floor(random.next() ** 2 * Math.min(joined, recentlyJoined));
  return Math.floor(random.next() * joined);
}
