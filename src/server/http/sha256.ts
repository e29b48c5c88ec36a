import { createHash } from 'node:crypto';

/** SHA-256. Secrets are compared by it, with `timingSafeEqual`, which wants equal lengths. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
