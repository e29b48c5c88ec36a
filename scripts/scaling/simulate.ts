import { parseArgs } from 'node:util';
import { createRandom } from '../../src/sandbox/seed/random.ts';
import { activities, type Load, limiter, pickActivity, simulateAcademy } from './academy.ts';

// npx tsx scripts/scaling/simulate.ts [--academies 1000] [--replicas 50] [--minutes 60] [--seed 1]
// Prints the load of many academies on many replicas. docs/scaling.md shows a run.

const { values } = parseArgs({
  options: {
    academies: { type: 'string', default: '1000' },
    replicas: { type: 'string', default: '50' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});
const [academies, replicas, minutes, seed] = [values.academies, values.replicas, values.minutes, values.seed].map(
  Number,
) as [number, number, number, number];

/** Measured; docs/scaling.md says how. Bytes, and seconds of one core. */
const measured = {
  processBytes: 90e6,
  accountBytes: 103e3,
  sessionBytes: 14e3,
  ledgerBytes: 4_200,
  scriptSeconds: 170e-6,
  callSeconds: 1 / 1_000,
};
/** Sessions of each academy that are open at a time. */
const sessionsPerAcademy = 3;

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const round = (value: number, digits = 0) => Number(value.toFixed(digits)).toLocaleString('en');
const seconds = (milliseconds: number) => `${round(milliseconds / 1_000, 1)} s`;

const loads = new Map<string, Load[]>(activities.map(({ name }) => [name, []]));
for (let index = 0; index < academies; index += 1) {
  const random = createRandom(seed, index);
  const { name, callsPerMinute } = pickActivity(random);
  loads.get(name)?.push(simulateAcademy(callsPerMinute, minutes * 60_000, random));
}

const write = (line: string) => process.stdout.write(`${line}\n`);
write(
  '| Academies | Number | Calls a minute, each | Requests a minute, each | Share used | Waits, p50 / p95 / p99 | Calls refused |',
);
write('| --- | --- | --- | --- | --- | --- | --- |');
for (const [name, some] of loads) {
  const waits = some.flatMap(({ callWaits }) => callWaits).sort((one, other) => one - other);
  const requests = sum(some.map((load) => load.requests)) / minutes / some.length;
  const calls = sum(some.map((load) => load.calls));
  const refused = sum(some.map((load) => load.refused));
  const spread = [0.5, 0.95, 0.99].map((part) => seconds(quantile(waits, part))).join(' / ');
  const cells = [
    name,
    round(some.length),
    round(calls / minutes / some.length, 1),
    round(requests, 1),
    `${round((requests / limiter.tokens) * 100)}%`,
    spread,
    `${round((refused / calls) * 100, 1)}%`,
  ];
  write(`| ${cells.join(' | ')} |`);
}

const all = [...loads.values()].flat();
const perSecond = (count: number) => count / minutes / 60;
const requests = perSecond(sum(all.map((load) => load.requests)));
const calls = perSecond(sum(all.map((load) => load.calls)));
const waiting = perSecond(sum(all.flatMap(({ waits }) => waits)) / 1_000);
const elsewhere = 1 - 1 / replicas;

// Each request looks at the ledger, takes a token and returns it; each replica with a waiting request asks once a second.
const scripts = { heartbeats: replicas, tokens: requests * 3, waiting, 'limits of callers': calls };
const reads = { sessions: calls * elsewhere };
const scriptRate = sum(Object.values(scripts));
const apps = academies * Math.min(1, sessionsPerAcademy);
write('');
write(
  `Calls: ${round(calls, 1)} a second = ${round(calls / replicas, 2)} for each replica; ${round((calls * measured.callSeconds * 100) / replicas, 2)}% of a core at ${measured.callSeconds * 1_000} ms a call.`,
);
write(`Requests to the APIs: ${round(requests, 1)} a second.`);
write(
  `Redis: ${round(scriptRate)} scripts a second = ${Object.entries(scripts)
    .map(([name, rate]) => `${round(rate)} (${name})`)
    .join(
      ' + ',
    )}; ${round(reads.sessions)} reads of sessions. ${round(scriptRate * measured.scriptSeconds * 100, 1)}% of its core at ${measured.scriptSeconds * 1e6} µs a script.`,
);
write(
  `Memory of Redis: ${academies} ledgers x ${round(measured.ledgerBytes)} bytes = ${round((academies * measured.ledgerBytes) / 1e6, 1)} MB, and what is kept for 5 minutes.`,
);
write(
  `Memory of a replica, if it serves every academy: ${round(measured.processBytes / 1e6)} MB + ${round(apps)} accounts x ${round(measured.accountBytes / 1e3)} KB + ${round((academies * sessionsPerAcademy) / replicas)} sessions x ${round(measured.sessionBytes / 1e3)} KB = ${round((measured.processBytes + apps * measured.accountBytes + ((academies * sessionsPerAcademy) / replicas) * measured.sessionBytes) / 1e6)} MB.`,
);
write(
  `While Redis is lost: ${Math.floor(limiter.tokens / replicas)} of ${limiter.tokens} tokens for each replica, at least 1.`,
);
