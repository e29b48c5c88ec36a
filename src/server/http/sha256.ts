import { createHash } from 'node:crypto';

/** Digest for comparing secrets with `timingSafeEqual`, which needs two values of the same length. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
