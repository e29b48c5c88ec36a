import { inspect } from 'node:util';
import { createApi, createApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { catalog } from '../../../tools/catalog.ts';
import { serverFor } from '../../support/serve.ts';
import { hits, secrets } from './canaries.ts';

/** Objects of the SDK contain cycles, which JSON refuses. */
function json(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

/** Every way in which a careless log line could print an object. */
function printed(value: object): string {
  // Without `getters`: reading those of zod breaks its schemas.
  const deep = { depth: 14, showHidden: true, maxArrayLength: null, maxStringLength: null };
  return [inspect(value), json(value), String(value), inspect([{ value }], deep)].join('\n');
}

/** Prints the config, the client, the program and its protocol server in every way, and returns those that show a secret. */
export async function secretsInObjects(url: string): Promise<{ tried: number; failures: string[] }> {
  const config = loadConfig(
    {},
    { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: secrets.key, ACADEMY_CONFIRM_SECRET: secrets.confirmSecret },
  );
  const log = createLogger('silent', [config.apiKey], { write: () => {} });
  const app = createApp({ config, ...catalog, log });
  const client = createApi(config, log);
  const objects: Record<string, object> = { config, app, client, server: serverFor(app, 'test'), log };
  const failures = Object.entries(objects).flatMap(([name, object]) =>
    hits(printed(object), secrets).map((secret) => `the printed ${name} holds the ${secret}`),
  );
  await app.close();
  await client.close();
  return { tried: Object.keys(objects).length, failures };
}
