import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createScope, inScope } from '../../support/at-end.ts';
import { maxRequestsAllowed, startOdd } from '../academy/server.ts';
import { must } from '../academy/state.ts';
import { switches } from '../switches/index.ts';
import type { Switch } from '../switches/switch.ts';
import { isReading, probesNamed } from './probes/index.ts';
import { type Harness, type Judged, type Probe, wrong } from './verdict.ts';

// Reads pairs of switch and question from standard input, and writes a line of JSON with each verdict.

/** Maximum time of one probe, in milliseconds: an honest answer over loopback takes much less. */
const longest = 40_000;

const late = () => sleep(longest, wrong(`no answer within ${longest / 1000} s`), { ref: false });

async function startRig({ rules, kind, lies, words, trusts = false }: Switch): Promise<Harness> {
  const settings = { ACADEMY_MAX_WAIT_MS: '6000', ACADEMY_TIMEOUT_MS: '3000' };
  const { academy, call } = await startOdd([rules], { settings, pace: 0.02 });
  const studentOf = (id: number) => academy.state.students.find((student) => student.id === id);
  return {
    academy,
    terms: { kind, trusts, words, lies },
    email: (id) => must(studentOf(id), `student ${id}`).email,
    call,
  };
}

async function judgedBy(harness: Harness, probe: Probe): Promise<Judged> {
  const failed = (error: unknown) =>
    wrong(`the call failed: ${error instanceof Error ? error.message : String(error)}`);
  harness.academy.log.splice(0);
  const judged = await Promise.race([probe.judge(harness).catch(failed), late()]);
  const { length } = harness.academy.log;
  return length > maxRequestsAllowed ? wrong(`${length} requests for one answer`) : judged;
}

/** The academy that the reads of a switch share, until an answer is wrong; every write has its own. */
let shared: { readonly of: Switch; readonly harness: Harness; close(): Promise<void> } | undefined;

async function judge(one: Switch, probe: Probe): Promise<Judged> {
  if (!isReading(probe)) return await inScope(async () => judgedBy(await startRig(one), probe));
  if (shared?.of !== one) {
    await shared?.close();
    const { run, close } = createScope();
    shared = { of: one, harness: await run(() => startRig(one)), close };
  }
  const { harness, close } = shared;
  const judged = await judgedBy(harness, probe);
  if (judged.verdict === 'WRONG') {
    shared = undefined;
    await close();
  }
  return judged;
}

const pairs: string[] = JSON.parse(await text(process.stdin));
for (const pair of pairs) {
  const [name = '', question = ''] = pair.split(' ');
  const one = must(
    switches.find((other) => other.name === name),
    `switch ${name}`,
  );
  const [probe] = probesNamed([question]);
  const row = { switches: name, probe: question, ...(await judge(one, must(probe, question))) };
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
process.exit(0);
