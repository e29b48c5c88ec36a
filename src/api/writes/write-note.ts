import type { AcceptedFields } from './accepted-fields.ts';

/** What is to be said of a write beside its answer: how it came to be `applied`, or what of it was not. */
export interface WriteNote {
  /** False where nothing was sent now. */
  readonly sent: boolean;
  readonly text: string;
  /** What the answer shows of the fields that were sent; see `AcceptedFields`. */
  readonly acceptedFields?: AcceptedFields;
}

/** The note of a write whose answer shows fields with another value than was sent; undefined where it shows none. */
export function noteOf(accepted: AcceptedFields): WriteNote | undefined {
  const names = Object.keys(accepted.unchanged);
  if (names.length === 0) return undefined;
  const list = names.join(', ');
  const text = {
    applied: `the API took the change, but shows other values than were sent: ${list}`,
    not_applied: `the API answered without an error, but shows that nothing of it was taken: ${list}`,
    outcome_unknown: `the API answered without an error, but does not show what was sent: ${list}; whether the change was made is not known`,
  }[accepted.outcome];
  return { sent: true, text, acceptedFields: accepted };
}
