import * as z from 'zod';
import { limitedText } from './input-fields.ts';

/** Characters that a server or proxy could read as the end of a segment, or decode a second time. */
const unsafeInPath = /[\s\p{C}/\\%?#;]/u;

const maxSegment = 200;

/**
 * True for text that stays one segment of a path, also after Unicode normalization (NFKC turns full-width dots into
 * dots). The document defines no alphabet for ids and slugs: any safe text is accepted, and encoded.
 */
export function isPathSegment(value: string): boolean {
  // Checked first: the time of Unicode normalization grows with the square of a run of combining marks.
  if (value.length > maxSegment) return false;
  const normal = value.normalize('NFKC');
  return /[^.]/.test(normal) && !unsafeInPath.test(value) && !unsafeInPath.test(normal);
}

/** Some agents send an id or slug of digits as a number. */
export function textFromId(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
}

/** An id, slug or public order id in a path. */
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
