import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AcademyError } from '../../shared/errors.ts';
import { createMemoryStore, type SharedStore } from '../../shared/shared-store.ts';

const validFor = 5 * 60_000;
const macBytes = 12;
const timeBytes = 6;
const maxCode = 100;
const maxUsed = 10_000;

export type ConfirmCodes = ReturnType<typeof createConfirmCodes>;

const unknownUse = () =>
  new AcademyError('confirmation_required', 'Redis is lost, so another replica may have used this consent already', {
    hint: 'Repeat the call without confirm when Redis is back: /readyz shows it.',
    outcome: 'not_applied',
  });

/**
 * One-time codes that bind a confirmation to exactly the facts that were shown. A code is its expiry time and an HMAC over that
 * time and the subject: tool, arguments, shown facts, caller. It is valid on every replica with the same secret, once per
 * process, or once at all if the replicas share a store.
 */
export function createConfirmCodes(secret: string = randomBytes(32).toString('hex'), now: () => number = Date.now) {
  let used: SharedStore = createMemoryStore({ maxEntries: maxUsed });
  const macOf = (time: Buffer, subject: string) =>
    createHmac('sha256', secret).update(time).update(subject).digest().subarray(0, macBytes);

  function issue(subject: string): string {
    const time = Buffer.alloc(timeBytes);
    time.writeUIntBE(now() + validFor, 0, timeBytes);
    return Buffer.concat([time, macOf(time, subject)]).toString('base64url');
  }

  /**
   * Why the code does not confirm the subject; undefined if it does, which uses the code up. `receivedAt` is when the call
   * with the code arrived, in milliseconds since 1970: reading the facts again may take minutes. Throws if another replica may
   * have used it, and cannot be asked.
   */
  async function refuse(code: unknown, subject: string, receivedAt: number = now()): Promise<string | undefined> {
    const isShort = typeof code === 'string' && code.length <= maxCode;
    const bytes = Buffer.from(isShort ? code : '', 'base64url');
    // Compared as text too: several spellings of base64url decode to the same bytes, and each code is valid once.
    if (bytes.length !== timeBytes + macBytes || bytes.toString('base64url') !== code)
      return 'confirm is not a code of this server';
    const time = bytes.subarray(0, timeBytes);
    if (!timingSafeEqual(bytes.subarray(timeBytes), macOf(time, subject))) {
      return 'the code is for another call, or the facts have changed since it was shown';
    }
    if (time.readUIntBE(0, timeBytes) < receivedAt) return 'the code has expired';
    // The clocks of replicas may differ, so a used code is remembered for longer than it is valid.
    const isFirst = await used.setIfAbsent(`code ${code}`, 'used', validFor * 2);
    if (isFirst === undefined) throw unknownUse();
    return isFirst ? undefined : 'the code has been used';
  }

  return {
    issue,
    refuse,
    /** From now on, a code that another replica has used counts as used. */
    useStore: (store: SharedStore): void => {
      used = store;
    },
  };
}
