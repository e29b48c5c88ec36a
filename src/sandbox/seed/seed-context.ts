import type { Catalogue } from '../state/catalogue.ts';
import type { Lessons } from '../state/lessons.ts';
import type { OrderBook } from '../state/orders.ts';
import type { Progress } from '../state/progress.ts';
import type { StudentRecord, StudentRegister } from '../state/students.ts';
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

/** The input of every part of the seed. Times are milliseconds since 1970. */
export interface SeedContext {
  readonly key: string;
  readonly now: number;
  /** Turns a share from 0 to 1 into a time in the past two years. A larger share is later. */
  readonly calendar: (share: number) => number;
}

/** The data that the later parts build on. */
export interface SeedData extends SeedContext {
  readonly catalogue: Catalogue;
  readonly lessons: Lessons;
  readonly students: StudentRegister;
  readonly orders: OrderBook;
  readonly progress: Progress;
}
