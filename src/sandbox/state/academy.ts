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
export class Academy {
  readonly settings: AcademySettings;
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

  /** Replaced during a write and during a replay. */
  clock: () => Date;
  onEvent: EventListener | undefined;
  /** Simulated activities so far. With `key` it decides the next one. */
  activityCount = 0;

  constructor(settings: AcademySettings, data: AcademyData) {
    this.settings = settings;
    this.clock = settings.clock;
    this.key = data.key;
    this.appName = data.appName;
    this.catalogue = data.catalogue;
    this.lessons = data.lessons;
    this.students = data.students;
    this.orders = data.orders;
    this.progress = data.progress;
    this.community = data.community;
    this.answers = data.answers;
    this.projectPosts = data.projectPosts;
  }

  now(): Date {
    return this.clock();
  }

  /** @param payload is called only if there is a listener. */
  emit<Name extends EventName>(name: Name, payload: () => EventPayload<Name>): void {
    this.onEvent?.(name, payload());
  }
}
