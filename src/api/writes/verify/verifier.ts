import type { InputOf, Operation } from '../../../contract/operation.ts';
import type { RecentGrant } from '../../../insights/students/holdings.ts';
import type { Api } from '../../api.ts';
import type { KnownOrders } from '../known-records.ts';

/**
 * What reading back shows of a write. `cannot_tell`: the API does not show enough. If `seen`: `record` is the record
 * that was found, if the API gives one, and `where` is the tool that shows it.
 */
export type Verification =
  | {
      readonly state: 'seen';
      readonly record?: object;
      readonly where: string;
      /** What was found, in a few words; for a create. */
      readonly found?: string;
      /** False if the record may differ from the request in fields that are not visible. */
      readonly isIdentical?: boolean;
    }
  | { readonly state: 'not_seen' }
  | { readonly state: 'cannot_tell' };

export type SeenEffect = Extract<Verification, { state: 'seen' }>;

export interface VerifierContext {
  /** For reads only. */
  readonly api: Api;
  /** Older effects are not those of this call. In the server's time, as far as it is known when this is called. */
  readonly since: () => Date;
  /** What this server gave a student in the last ten minutes, and the platform may not show yet. */
  readonly recentGrants: (email: string) => Promise<readonly RecentGrant[]>;
  /** The orders that this process has seen. */
  readonly orders: KnownOrders;
  /**
   * Whether nothing has been sent yet. An effect that is then visible is not of this write, but may make it
   * unnecessary.
   */
  readonly isBeforeWrite: boolean;
  /** The course in which a lesson was last seen. The API cannot read a lesson by its id. */
  readonly courseOfLesson: (lessonId: number) => number | undefined;
}

/** Checks whether the effect of a write is visible. Sends read requests only, and throws their errors. */
export type Verifier<O extends Operation> = (input: InputOf<O>, context: VerifierContext) => Promise<Verification>;

export const notSeen: Verification = { state: 'not_seen' };
export const cannotTell: Verification = { state: 'cannot_tell' };

/** For an operation whose effect the API does not show. */
export const noVerifier = async (): Promise<Verification> => cannotTell;
