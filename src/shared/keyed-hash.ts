import { createHmac, hkdfSync } from 'node:crypto';

/** What a hash stands for. Each purpose has a key of its own: a hash made for one says nothing about the same text in another. */
export type HashPurpose = 'caller' | 'student';

/** Turns a text into 32 hex digits that only someone with the secret can recompute. */
export type KeyedHash = (text: string) => string;

const keyBytes = 32;
const hashDigits = 32;

/**
 * Keyed hashes (HMAC-SHA-256) for texts that a log must not hold, such as emails: without the key nobody can confirm a
 * guess. The key is derived from the secret (HKDF, RFC 5869), so that processes with the same secret agree.
 */
export function createKeyedHash(secret: string, purpose: HashPurpose): KeyedHash {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `academy-mcp hash of ${purpose}`, keyBytes));
  return (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, hashDigits);
}

/** The secret that all processes of one setup share, whether ACADEMY_CONFIRM_SECRET is set or not. */
export function hashSecretOf({
  confirmSecret,
  apiKey,
}: {
  confirmSecret?: string | undefined;
  apiKey: string;
}): string {
  return confirmSecret ?? apiKey;
}
