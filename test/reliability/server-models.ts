import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/sandbox/seed/random.ts';
import { type Allowance, createCounter, type Model, type Verdict } from './load/counters.ts';

export interface ModelServerOptions extends Allowance {
  readonly model: Model;
  /** Whether a 429 has Retry-After, in seconds with decimals: windows are shorter than the real one. */
  readonly retryAfter: boolean;
  /** Minimum and maximum time from a request to its answer, in milliseconds. The API counts the request within that time. */
  readonly latencyMs: readonly [number, number];
  readonly random: Random;
}

/** A counted request. */
export interface Stamped {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  readonly caller: 'us' | 'other';
  readonly path: string;
  readonly accepted: boolean;
}

/** An API that only counts requests, strictly. */
export interface ModelServer {
  readonly url: string;
  /** All counted requests, oldest first. */
  readonly log: readonly Stamped[];
  /** Paths of our received requests, counted or not. */
  readonly arrived: ReadonlySet<string>;
  /** Counts a request of another user of the account; false if it was refused. */
  arriveFromOther(): boolean;
  close(): Promise<void>;
}

/** A real API takes 100 to 500 ms of its window of 60 s. */
export const scaledLatency = (windowMs: number): [number, number] => [windowMs / 600, windowMs / 120];

function send(response: ServerResponse, path: string, { accepted, retryAfterMs }: Verdict, tells: boolean): void {
  const after = tells && !accepted ? { 'retry-after': (retryAfterMs / 1000).toFixed(3) } : {};
  response.writeHead(accepted ? 200 : 429, { 'content-type': 'application/json', ...after });
  const id = Number(path.split('/').at(-1));
  response.end(JSON.stringify(accepted ? { id, title: `Course ${id}` } : { error: 'Too many requests' }));
}

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { model, latencyMs, retryAfter, random } = options;
  const [shortest, longest] = latencyMs;
  const count = createCounter(model, options);
  const log: Stamped[] = [];
  const arrived = new Set<string>();

  function stamp(caller: Stamped['caller'], path: string): Verdict {
    const at = performance.now();
    const verdict = count(performance.timeOrigin + at);
    log.push({ at, caller, path, accepted: verdict.accepted });
    return verdict;
  }

  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    arrived.add(path);
    const latency = shortest + random.next() * (longest - shortest);
    const way = random.next() * latency;
    await sleep(way);
    const verdict = stamp('us', path);
    await sleep(latency - way);
    send(response, path, verdict, retryAfter);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    arrived,
    arriveFromOther: () => stamp('other', '').accepted,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
