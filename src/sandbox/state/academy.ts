import type { EventName, EventPayload } from '../../contract/events.ts';
import type { Catalogue } from '../seed/catalogue.ts';
import type { Community } from '../seed/community.ts';
import type { Records } from './collections.ts';
import type { Lessons, SequenceMode } from './lessons.ts';
import type { OrderBook } from './orders.ts';
import type { AnswerRecord, Progress, ProjectPostRecord, StudentRegister } from './students.ts';

export interface AcademySettings {
  readonly seed: number;
  readonly students: number;
  readonly orders: number;
  /** The newest time of the seeded data. */
  readonly now: Date;
  readonly subdomain: string;
  readonly plan: 'standard' | 'academy';
  readonly sequence: SequenceMode;
  /** Courses whose progress cannot be reset. */
  readonly protectedCourses: readonly number[];
}

/** One account of the sandbox: its data, its clock and its event listener. */
export interface Academy {
  /** Replaced after a replay, which needs no protected courses. */
  settings: AcademySettings;
  /** The seed of ids and random choices. Unique per account. */
  readonly key: string;
  readonly appName: string;
  readonly catalogue: Catalogue;
  readonly lessons: Lessons;
  readonly students: StudentRegister;
  readonly orders: OrderBook;
  readonly progress: Progress;
  readonly community: Community;
  readonly answers: Records<AnswerRecord>;
  readonly projectPosts: Records<ProjectPostRecord>;
  /** Simulated activities so far. With `key` it decides the next one. */
  activityCount: number;
  /** The clock, by default stopped at the end of the seeded data. Replaced during a write and during a replay. */
  now: () => Date;
  /** Reports an event to the listener, if there is one. The payload is made only for a listener. */
  emit: <Name extends EventName>(name: Name, payload: () => EventPayload<Name>) => void;
}
