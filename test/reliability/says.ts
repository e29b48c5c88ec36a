import type { ErrorCode } from '../../src/shared/errors.ts';
import type { FaultKind, Said } from './fault.ts';

// What a correct client says, for each sort of fault. Design: "Safety of writes".

type Says = FaultKind['says'];

const ok: Said = { code: 'ok' };
const applied: Said = { code: 'ok', outcome: 'applied' };
const unknown: Said = { code: 'outcome_unknown', outcome: 'outcome_unknown' };

const every = (read: Said, write: Said): Says => ({ R: [read], I: [write], N: [write], D: [write] });

/** Cured by trying again, or answered although the body was lost, or seen by reading back: it was done, once. */
export const done: Says = every(ok, applied);

/** A read is tried again; a write that may be repeated is sent once more; of the others nobody can tell. */
export const lost: Says = { R: [ok], I: [applied], N: [unknown], D: [unknown] };

/** As `lost`, where it is decided by chance whether one byte of the request had left. */
export const lostOrUnsent: Says = { R: [ok], I: [applied], N: [unknown, applied], D: [unknown, applied] };

/** An answer that is final: nothing was done. */
export const refused = (code: ErrorCode): Says => every({ code }, { code, outcome: 'not_applied' });

/** Reads are well, and no write is sent; the code may be any of these. */
export function refusedWrites(...codes: ErrorCode[]): Says {
  const refusals = codes.map((code): Said => ({ code, outcome: 'not_applied' }));
  return { R: [ok], I: refusals, N: refusals, D: refusals };
}

/** A redirect is no place to go to for a read, and no proof of anything for a write. */
export const notFollowed: Says = { ...lost, R: [{ code: 'unexpected_response' }] };

/** An answer that no retry cures, to something that was done. */
export const misshapen: Says = { ...done, R: [{ code: 'unexpected_response' }] };
