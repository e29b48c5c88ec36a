import * as z from 'zod';
import { limitedText } from './input-fields.ts';

/** Characters that some server on the way could take for the end of a segment, or decode once more. */
const unsafeInPath = /[\s\p{C}/\\%?#;]/u;

const maxSegment = 200;

/**
 * True for what can be one segment of a path and nothing else, also after Unicode normalisation (NFKC makes dots of
 * full-width ones). The document names no alphabet for ids and slugs, so whatever is safe is taken, and encoded.
 */
export function isPathSegment(value: string): boolean {
  // First of all: the time that Unicode normalisation takes grows with the square of a run of combining marks.
  if (value.length > maxSegment) return false;
  const normal = value.normalize('NFKC');
  return /[^.]/.test(normal) && !unsafeInPath.test(value) && !unsafeInPath.test(normal);
}

/** Some agents write an id as the number that it looks like. */
export function textFromId(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
}

/** An id, slug or public order id as it stands in a path. */
function segment(description: string) {
  return z
    .preprocess(
      textFromId,
      limitedText(maxSegment).refine(
        isPathSegment,
        'must be 1 to 200 characters, without blanks and without / \\ % ? # ;',
      ),
    )
    .describe(description);
}

export const idOrSlug = segment;
export const publicOrderId = segment;
