import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { SharedStore } from '../shared/shared-store.ts';

const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `academy-mcp shared ${purpose}`, keyBytes));
}

/** Encrypts values (AES-256-GCM), each for one key, and makes names of keys that tell nothing (keyed hashes). */
export function createSeal(secret: string) {
  const names = derive(secret, 'keys');
  const values = derive(secret, 'values');
  return {
    nameOf: (key: string) => createHmac('sha256', names).update(key).digest('base64url'),
    seal: (key: string, value: Uint8Array): Buffer => {
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, values, iv).setAAD(Buffer.from(key));
      return Buffer.concat([iv, sealing.update(value), sealing.final(), sealing.getAuthTag()]);
    },
    /** Undefined for a value that was not sealed with this secret. */
    open: (key: string, sealed: Uint8Array): Buffer | undefined => {
      if (sealed.length < ivBytes + tagBytes) return undefined;
      const opening = createDecipheriv(cipher, values, sealed.subarray(0, ivBytes)).setAAD(Buffer.from(key));
      opening.setAuthTag(sealed.subarray(-tagBytes));
      try {
        return Buffer.concat([opening.update(sealed.subarray(ivBytes, -tagBytes)), opening.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

/**
 * Encrypts what leaves this process: pages hold the data of students, and neither Redis nor another account may read them.
 * `secret` is the same on every replica.
 */
export function createSealedStore(store: SharedStore, secret: string): SharedStore {
  const { nameOf, seal, open } = createSeal(secret);
  const sealed = (key: string, text: string) => seal(key, Buffer.from(text)).toString('base64');
  return {
    get: async (key) => {
      const found = await store.get(nameOf(key));
      const value = found && open(key, Buffer.from(found.value, 'base64'));
      return value === undefined ? undefined : { value: value.toString(), ttlMs: found?.ttlMs ?? 0 };
    },
    set: (key, value, ttlMs) => store.set(nameOf(key), sealed(key, value), ttlMs),
    setIfAbsent: (key, value, ttlMs) => store.setIfAbsent(nameOf(key), sealed(key, value), ttlMs),
    claim: (key, value, ttlMs) => store.claim(nameOf(key), sealed(key, value), ttlMs),
    delete: (key) => store.delete(nameOf(key)),
    increment: (key, ttlMs, by) => store.increment(nameOf(key), ttlMs, by),
    isShared: store.isShared,
  };
}
