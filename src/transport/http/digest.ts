import { createHash } from 'node:crypto';

/** Secrets are compared by their digests, whose lengths are equal, with `timingSafeEqual`. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
