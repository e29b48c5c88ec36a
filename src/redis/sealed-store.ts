import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { SharedStore } from '../shared/shared-store.ts';

const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `academy-mcp shared ${purpose}`, keyBytes));
}

/**
 * Encrypts what leaves this process (AES-256-GCM): pages hold the data of students, and neither Redis nor another account
 * may read them. Keys become keyed hashes. `secret` is the same on every replica.
 */
export function createSealedStore(store: SharedStore, secret: string): SharedStore {
  const names = derive(secret, 'keys');
  const values = derive(secret, 'values');
  const nameOf = (key: string) => createHmac('sha256', names).update(key).digest('base64url');

  function seal(key: string, text: string): string {
    const iv = randomBytes(ivBytes);
    const sealing = createCipheriv(cipher, values, iv).setAAD(Buffer.from(key));
    return Buffer.concat([iv, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]).toString('base64');
  }

  /** A value that somebody else wrote counts as none. */
  function open(key: string, sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < ivBytes + tagBytes) return undefined;
    const opening = createDecipheriv(cipher, values, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(key));
    opening.setAuthTag(bytes.subarray(-tagBytes));
    try {
      return opening.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8');
    } catch {
      return undefined;
    }
  }

  return {
    get: async (key) => {
      const found = await store.get(nameOf(key));
      const value = found && open(key, found.value);
      return value === undefined ? undefined : { value, ttlMs: found?.ttlMs ?? 0 };
    },
    set: (key, value, ttlMs) => store.set(nameOf(key), seal(key, value), ttlMs),
    setIfAbsent: (key, value, ttlMs) => store.setIfAbsent(nameOf(key), seal(key, value), ttlMs),
    delete: (key) => store.delete(nameOf(key)),
    increment: (key, ttlMs, by) => store.increment(nameOf(key), ttlMs, by),
    isShared: store.isShared,
  };
}
