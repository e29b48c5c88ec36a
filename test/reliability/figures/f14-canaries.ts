import { startMadeAcademy } from '../../support/made-academy.ts';
import { type LaneResult, leaks, runLane, secretsAtStart, speech } from '../f14/lane.ts';
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
  await academy.close();
  return results;
}

async function startsWithSecrets(size: Size) {
  if (size === 'short') return noStarts;
  const academy = await startMadeAcademy();
  academy.say(speech);
  return await secretsAtStart(academy.url).finally(academy.close);
}

async function run(size: Size): Promise<FigureResult> {
  const results = await runLanes(size);
  const starts = await startsWithSecrets(size);
  const failures = [...results.flatMap((lane) => lane.failures), ...starts.failures];
  const calls = results.reduce((sum, lane) => sum + lane.calls, 0);
  return {
    tried: `${calls} calls of all tools to the built program over stdio, at LOG_LEVEL=trace, with ${results.length} kinds of API answers that repeat the key and name students; ${starts.tried} starts with the key in a wrong place`,
    result: `${failures.length} places with a canary`,
    details: [
      'searched for the key and the secret: standard output and error, audit log, command line, start-up errors; also escaped, in URLs, in base64, in hexadecimal, in any letter case',
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
