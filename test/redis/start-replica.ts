import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { openShared, withShared } from '../../src/cli/open-app.ts';
import { openEvents } from '../../src/cli/open-events.ts';
import { loadConfig, secretsOf } from '../../src/config/load.ts';
import { createPrometheus } from '../../src/server/http/prometheus.ts';
import { serveHttp } from '../../src/server/http/serve.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { catalog } from '../../tools/catalog.ts';

export const token = 'replicas-share-this-token-0123';
export const authorization = `Bearer ${token}`;

/** One of several replicas that share a Redis. It ends with the test. */
export async function startReplica(
  redisUrl: string,
  baseUrl: string,
  apiKey: string,
  settings: Record<string, string> = {},
) {
  const config = loadConfig(
    {},
    {
      ACADEMY_BASE_URL: baseUrl,
      ACADEMY_API_KEY: apiKey,
      ACADEMY_RATE_LIMIT: 'off',
      ACADEMY_HTTP_TOKENS: token,
      ACADEMY_METRICS_TOKEN: token,
      ACADEMY_REDIS_URL: redisUrl,
      ACADEMY_REPLICAS: '2',
      LOG_LEVEL: 'info',
      ...settings,
    },
    'http',
  );
  const lines: string[] = [];
  const log = createLogger(config.logLevel, secretsOf(config), { write: (line) => lines.push(line) });
  const shared = await openShared(config, log);
  const prometheus = createPrometheus();
  const { events, webhooks, close: closeEvents } = openEvents({ config, receives: true, pace: 0.02 });
  const app = withShared(
    createApp({ config, ...catalog, log, shared, pace: 0.02, events, meter: prometheus.meterOf(), linksExports: true }),
    shared,
  );
  const host = '127.0.0.1';
  const server = await serveHttp({ app, config, log, prometheus, host, port: 0, stateless: false, webhooks });
  onTestFinished(async () => {
    await server.drain();
    await closeEvents();
  });
  return { url: server.url, origin: server.url.replace('/mcp', ''), lines };
}
