import type { Catalogue } from '../state/catalogue.ts';
import type { Lessons } from '../state/lessons.ts';
import type { OrderBook } from '../state/orders.ts';
import type { Progress } from '../state/progress.ts';
import type { StudentRegister } from '../state/students.ts';

/** What every part of the seed starts from. Times are milliseconds since 1970. */
export interface SeedContext {
  readonly key: string;
  readonly now: number;
  /** A time in the past two years for a share from 0 to 1; larger shares are later. */
  readonly calendar: (share: number) => number;
}

/** What the later parts build on. */
export interface SeedData extends SeedContext {
  readonly catalogue: Catalogue;
  readonly lessons: Lessons;
  readonly students: StudentRegister;
  readonly orders: OrderBook;
  readonly progress: Progress;
}
