import { afterAll } from 'vitest';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import type { Exchange } from '../reliability/fault.ts';
import { type FaultServer, startFaultServer } from '../reliability/fault-server.ts';
import { answerBytes } from '../reliability/raw-http.ts';
import type { Era, EraClient, Person, Place } from './eras.ts';
import { type AtEnd, startHttp } from './http-server.ts';

export interface Setup {
  client: EraClient;
  /** The proxy between the server and its academy. */
  between: FaultServer;
}

/** A way in which a client connects to the server. */
export interface Way {
  name: string;
  /** Starts the server for an academy at this URL, or returns how the client starts it. */
  place(academy: { url: string; apiKey: string }, atEnd: AtEnd): Promise<Place>;
}

const small: SandboxOptions = { rateLimit: 'off', students: 40, orders: 200 };

const stdio: Way = {
  name: 'stdio',
  place: async ({ url, apiKey }) => ({
    environment: { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: apiKey, ACADEMY_RATE_LIMIT: 'off' },
  }),
};

const overHttp = (name: string, stateless: boolean): Way => ({
  name,
  place: ({ url }, atEnd) => startHttp({}, { stateless, baseUrl: url, atEnd }),
});

export const ways: Way[] = [stdio, overHttp('HTTP', false), overHttp('HTTP without sessions', true)];

async function open(way: Way, era: Era, person: Person | undefined, atEnd: AtEnd): Promise<Setup> {
  const sandbox = await startSandbox(small);
  atEnd(() => sandbox.close());
  const between = await startFaultServer(sandbox.url);
  atEnd(() => between.close());
  const place = await way.place({ url: between.url, apiKey: sandbox.apiKey }, atEnd);
  return { client: await era.connect(place, person, atEnd), between };
}

/**
 * Gives the tests of a file one server and one client for each way and era, opened by the first test that needs them
 * and closed after the last: starting them takes longer than all their requests. With a `person`, the client supports
 * elicitation.
 */
export function sharedSetups(person?: Person): (way: Way, era: Era) => Promise<Setup> {
  const opened = new Map<string, Promise<Setup>>();
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  return (way, era) => {
    const name = `${way.name}, ${era.name}`;
    const setup = opened.get(name) ?? open(way, era, person, (close) => closing.push(close));
    opened.set(name, setup);
    return setup;
  };
}

function resolvable() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/**
 * Cancels work while its request is at the academy, which answers only after the cancellation. Resolves to
 * the error of the work.
 */
export async function cancelOnTheWay(between: FaultServer, work: (signal: AbortSignal) => Promise<unknown>) {
  const leaving = new AbortController();
  const { promise: left, resolve: leave } = resolvable();
  const answerLate = async ({ socket, work: perform }: Exchange) => {
    leaving.abort(new Error('changed my mind'));
    await left;
    socket.write(answerBytes(await perform()));
  };
  between.arm({ name: 'answered late', fault: { at: 'body', act: answerLate } });
  const [result] = await Promise.allSettled([work(leaving.signal)]);
  leave();
  if (result.status === 'fulfilled') throw new Error('a cancelled call was answered');
  return result.reason as unknown;
}
