import { inspect } from 'node:util';
import { createApi, createApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { catalog } from '../../../tools/catalog.ts';
import { startMadeAcademy } from '../../support/made-academy.ts';
import { serverFor } from '../../support/serve.ts';
import { hits, type LaneResult, leaks, runLane, secrets, secretsAtStart, speech } from '../f14/lane.ts';
import type { Figure, FigureResult, Size } from '../figure.ts';

/** test/security/data-leaks.long.test.ts tries its leaks and the starts. */
const shortLeaks = ['422', 'HTML'];
const noStarts = { tried: 0, failures: [] };
/** Programs at a time: they mostly wait. */
const lanes = 5;

async function runLanes(size: Size): Promise<LaneResult[]> {
  const academy = await startMadeAcademy();
  academy.say(speech);
  const waiting = leaks.filter(({ name }) => size === 'whole' || shortLeaks.includes(name));
  const results: LaneResult[] = [];
  const lane = async () => {
    for (let leak = waiting.shift(); leak !== undefined; leak = waiting.shift()) {
      results.push(await runLane(academy, leak, size === 'short'));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  academy.close();
  return results;
}

async function aroundCalls(size: Size) {
  const academy = await startMadeAcademy();
  academy.say(speech);
  const objects = await secretsInObjects(academy.url);
  const starts = size === 'whole' ? await secretsAtStart(academy.url) : noStarts;
  academy.close();
  return { objects, starts };
}

async function run(size: Size): Promise<FigureResult> {
  const results = await runLanes(size);
  const { objects, starts } = await aroundCalls(size);
  const failures = [...results.flatMap((lane) => lane.failures), ...objects.failures, ...starts.failures];
  const calls = results.reduce((sum, lane) => sum + lane.calls, 0);
  return {
    tried: `${calls} calls of all tools to the built program over stdio, at LOG_LEVEL=trace, with ${results.length} kinds of API answers that repeat the key and name students; ${starts.tried} starts with the key in a wrong place; ${objects.tried} objects printed in four ways`,
    result: `${failures.length} places with a canary`,
    details: [
      'searched for the key and the secret: standard output and error, audit log, command line, start-up errors, printed objects; also escaped, in URLs, in base64, in hexadecimal, in any letter case',
      'searched for email, name and text of a student: standard error, audit log and command line; in the answers they belong, and must appear',
      'nothing is random: the seed has no effect',
    ],
    failures,
    zeros: [{ what: 'answers with a key, or log lines with a student', of: calls }],
  };
}

export const figure: Figure = {
  id: 'F14',
  title: 'Secrets and personal data as canaries',
  target: '0 places with the key or the secret, 0 log or audit lines with an email, a name or a text',
  run,
};

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

async function secretsInObjects(url: string): Promise<{ tried: number; failures: string[] }> {
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
