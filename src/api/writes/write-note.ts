import type { WriteOutcome } from '../../shared/errors.ts';

/** Which fields of a write the platform accepted, as its answer shows. */
export interface AcceptedFields {
  readonly outcome: WriteOutcome;
  /** Fields whose value in the answer differs from what was sent, with that value in words. */
  readonly unchanged: Readonly<Record<string, string>>;
  /** Whether the fields prove the outcome, even if a message of the answer may deny the write. */
  readonly decides: boolean;
}

/** What an answer says about a write besides its record: how it was applied, or which fields were not. */
export interface WriteNote {
  /** False if this call sent nothing. */
  readonly sent: boolean;
  /** Whether nothing was sent because the record of a create was there before. */
  readonly isAlreadyThere?: true;
  readonly text: string;
  /** What the answer shows of the fields that were sent; see `AcceptedFields`. */
  readonly acceptedFields?: AcceptedFields;
}

/** The note of a write whose answer shows other values than were sent; undefined if there are none. */
export function noteOf(accepted: AcceptedFields): WriteNote | undefined {
  const names = Object.keys(accepted.unchanged);
  if (names.length === 0) return undefined;
  const list = names.join(', ');
  const text = {
    applied: `the API accepted the change, but shows other values than were sent: ${list}`,
    not_applied: `the API answered without an error, but shows that it accepted none of it: ${list}`,
    outcome_unknown: `the API answered without an error, but does not show what was sent: ${list}; it is not known whether the change was made`,
  }[accepted.outcome];
  return { sent: true, text, acceptedFields: accepted };
}
