import type { InputOf, Operation } from '../../../contract/operation.ts';
import type { Api } from '../../api.ts';
import type { KnownOrders } from '../known-orders.ts';

/**
 * What reading back shows of a write. `cannot_tell`: the API shows nothing from which it could be told. Where it is seen,
 * `record` is what was found, as far as the API gives one, and `where` the tool that shows it.
 */
export type Verification =
  | {
      readonly state: 'seen';
      readonly record?: object;
      readonly where: string;
      /** What was found, in a few words; for a create. */
      readonly found?: string;
      /** False where what was found may differ from what was asked for in something that cannot be seen. */
      readonly isIdentical?: boolean;
    }
  | { readonly state: 'not_seen' }
  | { readonly state: 'cannot_tell' };

export type SeenEffect = Extract<Verification, { state: 'seen' }>;

export interface VerifierContext {
  /** Reads only. */
  readonly api: Api;
  /**
   * Effects older than this are not those of the call in question. By the server's clock, as far as it is known when this is
   * asked.
   */
  readonly since: () => Date;
  /** What was seen of orders in this process. */
  readonly orders: KnownOrders;
  /** Whether the write has not been sent yet: what is there then is not its effect, but may make it needless. */
  readonly isBeforeWrite: boolean;
  /** The course that a lesson was last seen in: the API has no way to read a lesson by its id. */
  readonly courseOfLesson: (lessonId: number) => number | undefined;
}

/** Looks whether the effect of a write is there. Sends read requests only; throws what they throw. */
export type Verifier<O extends Operation> = (input: InputOf<O>, context: VerifierContext) => Promise<Verification>;

export const notSeen: Verification = { state: 'not_seen' };
export const cannotTell: Verification = { state: 'cannot_tell' };

/** For an operation whose effect the API shows nowhere. */
export const noVerifier = async (): Promise<Verification> => cannotTell;
