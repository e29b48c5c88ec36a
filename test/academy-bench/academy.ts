import type { Sandbox } from '../../src/sandbox/index.ts';
import type { Academy } from '../../src/sandbox/state/academy.ts';
import type { Row } from '../support/academy.ts';
import { inScope } from '../support/at-end.ts';
import { passOn } from '../support/pass-on.ts';
import { type Reply, startRecorder } from '../support/recorder.ts';
import { call, start } from '../support/sandbox.ts';
import { difference, digest } from '../support/truth.ts';

/** A request to the API, as the API document has it. */
export type Raw = readonly [method: 'GET' | 'POST' | 'PATCH', path: string, body?: Row];

/** The newest seeded order is from this day. What is changed later has the time of the machine, as servers expect. */
const now = new Date('2026-06-30T12:00:00Z');
const size = { seed: 32, students: 140, orders: 900, now, rateLimit: 'off' as const };

/** What a request meets in place of the academy: a status before the work, or a status after the work was done. */
type Fault = { readonly status: number; readonly afterWork?: boolean } | undefined;

export interface Arrangement {
  arrange?(academy: Academy): void;
  /** Called for each request; `earlier` counts those before it with the same method and path. */
  fault?(request: Raw, earlier: number): Fault;
  /** Writes of another admin, just before the first request that `when` fits. They belong to the goal. */
  others?: { readonly when: (request: Raw, earlier: number) => boolean; readonly writes: readonly Raw[] };
}

type Send = (raw: Raw) => Promise<unknown>;
export type World = Awaited<ReturnType<typeof openWorld>>;

export async function openWorld(arrangement: Arrangement = {}) {
  const sandbox = await arranged(arrangement);
  const before = digest(sandbox.academy);
  /** A request that the witness does not see. */
  const send: Send = (raw) => sendTo(sandbox, raw);
  const witness = await openWitness(sandbox, arrangement, send);
  return {
    academy: sandbox.academy,
    ...witness,
    apiKey: sandbox.apiKey,
    /** What was changed since the start, a line per record. */
    changes: () => difference(before, digest(sandbox.academy)),
    send,
  };
}

/** What a task asks for, from two academies that nobody plays in. */
export interface Truth {
  readonly academy: Academy;
  readonly goal: readonly string[];
}

export const openTruth = (arrangement: Arrangement | undefined, writes: (academy: Academy) => readonly Raw[]) =>
  inScope(() => truthOf(arrangement, writes));

async function truthOf(
  arrangement: Arrangement | undefined,
  writes: (academy: Academy) => readonly Raw[],
): Promise<Truth> {
  const { academy } = await arranged(arrangement);
  const all = [...(arrangement?.others?.writes ?? []), ...writes(academy)];
  if (all.length === 0) return { academy, goal: [] };
  const changed = await arranged(arrangement);
  for (const raw of all) await sendTo(changed, raw);
  return { academy, goal: difference(digest(academy), digest(changed.academy)) };
}

async function arranged(arrangement: Arrangement | undefined): Promise<Sandbox> {
  const sandbox = await start(size);
  sandbox.academy.now = () => new Date();
  arrangement?.arrange?.(sandbox.academy);
  return sandbox;
}

async function sendTo(sandbox: Sandbox, [method, path, body]: Raw): Promise<unknown> {
  const answer = await call(sandbox, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function openWitness({ url: target }: Sandbox, { fault, others }: Arrangement, send: Send) {
  const requests: Raw[] = [];
  let isUndisturbed = others !== undefined;
  const { url } = await startRecorder(async (request) => {
    const { method, url: path, headers, raw: sent } = request;
    const raw = [method, path, bodyOf(sent, headers['content-type'])] as Raw;
    const earlier = requests.filter(([known, at]) => known === method && at === path).length;
    requests.push(raw);
    if (isUndisturbed && others?.when(raw, earlier)) {
      isUndisturbed = false;
      for (const write of others.writes) await send(write);
    }
    const met = fault?.(raw, earlier);
    if (met !== undefined && met.afterWork !== true) return refusal(met.status);
    const done = await passOn(target, { method, path, headers, body: sent });
    return met === undefined ? done : refusal(met.status);
  });
  return { url, requests };
}

function refusal(status: number): Reply {
  const body = { error: 'Not now', errors: [{ code: 'unavailable', message: 'Not now' }], request_id: 'none' };
  return { status, body, ...(status === 429 && { headers: { 'retry-after': '1' } }) };
}

function bodyOf(text: string, type = ''): Row | undefined {
  if (text === '') return undefined;
  return type.includes('json') ? (JSON.parse(text) as Row) : Object.fromEntries(new URLSearchParams(text));
}
