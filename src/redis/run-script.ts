import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

const hashes = new Map<string, string>();

function hashOf(script: string): string {
  const hash = hashes.get(script) ?? createHash('sha1').update(script).digest('hex');
  hashes.set(script, hash);
  return hash;
}

/** Runs a Lua script by its hash, and sends its text only if Redis does not know it: after a start. */
export async function runScript(
  client: Redis,
  script: string,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
): Promise<unknown> {
  try {
    return await client.evalsha(hashOf(script), keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return await client.eval(script, keys.length, ...keys, ...args);
  }
}
