import type { ErrorCode } from '../../src/shared/errors.ts';
import type { FaultKind, Said } from './fault.ts';

// The correct answers of a client for each kind of fault.

type Says = FaultKind['says'];

const ok: Said = { code: 'ok' };
const applied: Said = { code: 'ok', outcome: 'applied' };
const unknown: Said = { code: 'outcome_unknown', outcome: 'outcome_unknown' };

const every = (read: Said, write: Said): Says => ({ R: [read], I: [write], N: [write], D: [write] });

/** A retry, a status without its body, or reading back shows that the operation was done once. */
export const done: Says = every(ok, applied);

/** A read is retried; a write that may be repeated is sent again; the outcome of other writes is unknown. */
export const lost: Says = { R: [ok], I: [applied], N: [unknown], D: [unknown] };

/** Like `lost`, but chance decides whether one byte of the request was sent. */
export const lostOrUnsent: Says = { R: [ok], I: [applied], N: [unknown, applied], D: [unknown, applied] };

/** A final answer: nothing was done. */
export const refused = (code: ErrorCode): Says => every({ code }, { code, outcome: 'not_applied' });

/** Reads succeed, and no write is sent; the code may be any of these. */
export function refusedWrites(...codes: ErrorCode[]): Says {
  const refusals = codes.map((code): Said => ({ code, outcome: 'not_applied' }));
  return { R: [ok], I: refusals, N: refusals, D: refusals };
}

/** A read does not follow a redirect, and for a write a redirect proves nothing. */
export const notFollowed: Says = { ...lost, R: [{ code: 'unexpected_response' }] };

/** An error that no retry fixes, for something that was done. */
export const misshapen: Says = { ...done, R: [{ code: 'unexpected_response' }] };
