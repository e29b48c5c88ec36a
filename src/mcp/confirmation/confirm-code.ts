import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long a code is good for, in milliseconds. */
const validFor = 5 * 60_000;
const macBytes = 12;
const timeBytes = 6;
const maxCode = 100;
const maxUsed = 10_000;

/** One-time codes that bind a confirmation to exactly what was shown. */
export interface ConfirmCodes {
  issue(subject: string): string;
  /**
   * Why the code does not confirm the subject, or undefined where it does; it is used up then. `cameAt` is when the call
   * that brings it came (now, where left out), in milliseconds since 1970: reading the facts again may take minutes.
   */
  refuse(code: unknown, subject: string, cameAt?: number): string | undefined;
}

/**
 * A code is its time of expiry and an HMAC over that and the subject: tool, arguments, the facts seen, the caller. It
 * is good on every replica with the same secret, and once in each process.
 */
export function createConfirmCodes(
  secret: string = randomBytes(32).toString('hex'),
  now: () => number = Date.now,
): ConfirmCodes {
  const used = new Set<string>();
  const macOf = (time: Buffer, subject: string) =>
    createHmac('sha256', secret).update(time).update(subject).digest().subarray(0, macBytes);

  function issue(subject: string): string {
    const time = Buffer.alloc(timeBytes);
    time.writeUIntBE(now() + validFor, 0, timeBytes);
    return Buffer.concat([time, macOf(time, subject)]).toString('base64url');
  }

  function refuse(code: unknown, subject: string, cameAt: number = now()): string | undefined {
    const isShort = typeof code === 'string' && code.length <= maxCode;
    const bytes = Buffer.from(isShort ? code : '', 'base64url');
    // Compared as written: several spellings of base64url decode to the same bytes, and one code is good once.
    if (bytes.length !== timeBytes + macBytes || bytes.toString('base64url') !== code)
      return 'confirm is no code of this server';
    const time = bytes.subarray(0, timeBytes);
    if (!timingSafeEqual(bytes.subarray(timeBytes), macOf(time, subject))) {
      return 'the code is for another call, or the facts have changed since it was shown';
    }
    if (time.readUIntBE(0, timeBytes) < cameAt) return 'the code has expired';
    if (used.has(code)) return 'the code has been used';
    remember(code);
    return undefined;
  }

  function remember(code: string): void {
    used.add(code);
    const [oldest] = used;
    if (used.size > maxUsed && oldest !== undefined) used.delete(oldest);
  }

  return { issue, refuse };
}
