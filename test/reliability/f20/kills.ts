import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../src/sandbox/index.ts';
import type { Random } from '../../../src/sandbox/seed/random.ts';
import { freePort, webhookSecret, webhooksTo } from '../../support/webhooks.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.ts';
import { counted } from './identity.ts';
import { startRecorder } from './recorder.ts';
import { connectLegacy, connectModern, createWatcher, type Watcher } from './watcher.ts';

interface KillTrial {
  kills: number;
  /** Mean time between two kills, in milliseconds. */
  betweenMs: number;
  random: Random;
}

export interface KillResult {
  readonly sent: number;
  readonly updates: number;
  readonly failures: string[];
}

/** Things that happen in the academy in a minute. */
const activity = 600;
/** Longest time from the last event to its last reader, in milliseconds. */
const settleMs = 60_000;

async function kill(program: HttpProgram): Promise<void> {
  process.kill(program.pid, 'SIGKILL');
  while (program.isAlive()) await sleep(5);
}

/** Events that a watcher read another number of times than they were sent. */
function differences(name: string, sent: readonly string[], { seen }: Watcher): string[] {
  const [expected, actual] = [counted(sent), counted(seen)];
  return [...expected].flatMap(([event, times]) => {
    const read = actual.get(event) ?? 0;
    return read === times ? [] : [`${name} read ${read} times, not ${times}: ${event.slice(0, 120)}`];
  });
}

async function untilSeen(sent: readonly string[], watchers: readonly Watcher[]): Promise<void> {
  const until = performance.now() + settleMs;
  const isSeen = ({ seen }: Watcher) => {
    const known = new Set(seen);
    return sent.every((event) => known.has(event));
  };
  while (!watchers.every(isSeen) && performance.now() < until) await sleep(100);
}

/** The built program receives the events of a busy academy, and is killed again and again while two clients watch. */
export async function killWhileWatched({ kills, betweenMs, random }: KillTrial): Promise<KillResult> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-reliability-'));
  const [port, recorder] = [await freePort(), await startRecorder()];
  const academy = await startSandbox({
    students: 100,
    orders: 100,
    activity,
    webhookBackoffMs: 250,
    webhooks: [...webhooksTo(port), ...recorder.webhooks],
  });
  const environment = {
    ACADEMY_BASE_URL: academy.url,
    ACADEMY_API_KEY: academy.apiKey,
    ACADEMY_WEBHOOK_SECRET: webhookSecret,
    ACADEMY_EVENTS_FILE: join(folder, 'events.jsonl'),
  };
  const url = `http://127.0.0.1:${port}/mcp`;
  const watchers = [createWatcher(url, connectLegacy), createWatcher(url, connectModern)];
  const start = async () => {
    const program = await startHttpProgram({ environment, flags: ['--port', String(port)] });
    await Promise.all(watchers.map((watcher) => watcher.connect()));
    return program;
  };
  let program = await start();
  for (let number = 0; number < kills; number += 1) {
    await sleep(betweenMs * (0.5 + random.next()));
    await kill(program);
    program = await start();
  }
  await sleep(betweenMs);
  const sent = recorder.sent();
  await untilSeen(sent, watchers);
  const failures = watchers.flatMap((watcher, index) => differences(index === 0 ? 'legacy' : 'modern', sent, watcher));
  const updates = watchers.reduce((sum, watcher) => sum + watcher.updates(), 0);
  if (sent.length === 0) failures.push('the academy sent no events');
  if (watchers.some((watcher) => watcher.updates() === 0)) failures.push('a client was never notified');
  await Promise.all(watchers.map((watcher) => watcher.close()));
  await academy.close();
  await program.close();
  recorder.close();
  await rm(folder, { recursive: true });
  return { sent: sent.length, updates, failures };
}
