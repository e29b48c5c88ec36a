import { AcademyError, RateLimitedError } from '../../shared/errors.ts';
import type { SeenEffect } from './verify/verifier.ts';
import type { WriteNote } from './write-outcome.ts';

// What can end a write before anything is sent.

/** The error of a write whose read before it failed, so that nothing was sent. */
export function nothingSentError(error: AcademyError): AcademyError {
  const { code, hint } = error;
  const message = `${error.message}; nothing was changed`;
  if (error instanceof RateLimitedError) {
    // A caller that can wait uses these seconds. The cause holds the words of the API.
    const { retryAfterSeconds, cause } = error;
    return new RateLimitedError(message, retryAfterSeconds, { outcome: 'not_applied', cause });
  }
  return new AcademyError(code, message, { hint, outcome: 'not_applied', cause: error });
}

/**
 * The note for a create whose record is already there. Throws `not_applied` if that record may differ from what was
 * asked for: then the caller decides.
 */
export function alreadyThereNote({ where, found = 'an identical record', isIdentical = true }: SeenEffect): WriteNote {
  if (isIdentical)
    return { sent: false, isAlreadyThere: true, text: `${found} already existed, as ${where} shows; nothing was sent` };
  throw new AcademyError('not_applied', `${found} already exists, and may differ from the request; nothing was sent`, {
    hint: `Check it with ${where}. If it matches the request, nothing is left to do. To change it, use the update tool. To add another, use another name or title.`,
    outcome: 'not_applied',
  });
}
