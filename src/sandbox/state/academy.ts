import type { EventName, EventPayload } from '../../contract/events.ts';
import type { Catalogue, Community } from './catalogue.ts';
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
  /** The clock for all changes after the seed. */
  readonly clock: () => Date;
  /** Courses whose progress cannot be reset. */
  readonly protectedCourses: readonly number[];
}

/** All data of one account. */
export interface AcademyData {
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
}

type EventListener = <Name extends EventName>(name: Name, payload: EventPayload<Name>) => void;

/** One account of the sandbox: its data, its clock and its event listener. */
export interface Academy extends AcademyData {
  /** Replaced after a replay, which needs no protected courses. */
  settings: AcademySettings;
  /** Replaced during a write and during a replay. */
  clock: () => Date;
  onEvent: EventListener | undefined;
  /** Simulated activities so far. With `key` it decides the next one. */
  activityCount: number;
  now(): Date;
  /** @param payload is called only if there is a listener. */
  emit<Name extends EventName>(name: Name, payload: () => EventPayload<Name>): void;
}

export function academyOf(settings: AcademySettings, data: AcademyData): Academy {
  const academy: Academy = {
    ...data,
    settings,
    clock: settings.clock,
    onEvent: undefined,
    activityCount: 0,
    now: () => academy.clock(),
    emit: (name, payload) => academy.onEvent?.(name, payload()),
  };
  return academy;
}
