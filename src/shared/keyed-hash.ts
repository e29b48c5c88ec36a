import { createHash, createHmac, hkdfSync } from 'node:crypto';

/** Digest for comparing secrets with `timingSafeEqual`, which needs two values of the same length. */
export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Maps a text to 32 hex digits that cannot be computed without the secret. */
export type KeyedHash = (text: string) => string;

const keyBytes = 32;
const hashDigits = 32;

/** Processes with one secret make the same hashes (HKDF, RFC 5869). Each purpose has its own key, so that they cannot be linked. */
export function createKeyedHash(secret: string, purpose: 'caller' | 'student'): KeyedHash {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `academy-mcp hash of ${purpose}`, keyBytes));
  return (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, hashDigits);
}

interface Secrets {
  readonly confirmSecret?: string | undefined;
  readonly redisUrl?: string | undefined;
  readonly apiKey: string;
}

/** The secret that signs codes. Replicas that share a Redis must accept each other's codes, with or without that setting. */
export function codeSecretOf({ confirmSecret, redisUrl, apiKey }: Secrets): string | undefined {
  if (confirmSecret !== undefined || redisUrl === undefined) return confirmSecret;
  return Buffer.from(hkdfSync('sha256', apiKey, '', 'academy-mcp codes', keyBytes)).toString('hex');
}

/** The secret that all processes of one installation share, whether ACADEMY_CONFIRM_SECRET is set or not. */
export const hashSecretOf = ({ confirmSecret, apiKey }: Secrets): string => confirmSecret ?? apiKey;
