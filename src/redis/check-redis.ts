import { Redis } from 'ioredis';

/** Why a Redis does not answer within `patienceMs`; undefined if it does. */
export async function redisProblem(url: string, patienceMs: number): Promise<string | undefined> {
  const once = { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null };
  const client = new Redis(url, { ...once, connectTimeout: patienceMs, commandTimeout: patienceMs });
  let problem: string | undefined;
  // The connection itself says only that it is closed.
  client.on('error', ({ message }) => {
    problem ??= message;
  });
  try {
    await client.connect();
    await client.ping();
    return undefined;
  } catch (error) {
    return problem ?? (error instanceof Error ? error.message : 'no answer');
  } finally {
    client.disconnect();
  }
}
