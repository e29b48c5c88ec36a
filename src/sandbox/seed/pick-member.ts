import type { StudentRecord } from '../state/students.ts';
import type { Random } from './random.ts';

const recentlyJoined = 60;

/** Who orders or writes at a time: often somebody who has just joined, otherwise anybody. Times asked for must not go back. */
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
