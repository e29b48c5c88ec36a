import { startHttp } from '../support/http-server.ts';

export const token = 'replicas-share-this-token-0123';
export const authorization = `Bearer ${token}`;

/** One of several replicas that share a Redis. It ends with the test. */
export function startReplica(redisUrl: string, baseUrl: string, apiKey: string, settings: Record<string, string> = {}) {
  const callers = { ACADEMY_HTTP_TOKENS: token, ACADEMY_METRICS_TOKEN: token, LOG_LEVEL: 'info' };
  const sharing = {
    ACADEMY_API_KEY: apiKey,
    ACADEMY_REDIS_URL: redisUrl,
    ACADEMY_REPLICAS: '2',
    ACADEMY_HTTP_DRAIN_MS: '0',
  };
  return startHttp({ ...callers, ...sharing, ...settings }, { baseUrl });
}
