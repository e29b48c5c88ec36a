import type { Catalogue } from '../state/catalogue.ts';
import type { Lessons } from '../state/lessons.ts';
import type { OrderBook } from '../state/orders.ts';
import type { Progress } from '../state/progress.ts';
import type { StudentRegister } from '../state/students.ts';

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
