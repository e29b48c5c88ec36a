import { afterAll } from 'vitest';
import { type Exchange, type FaultServer, startFaultServer } from '../reliability/fault-server.ts';
import { createScope } from './at-end.ts';
import type { Era, Person, Place } from './eras.ts';
import { startHttp } from './http-server.ts';
import { start } from './sandbox.ts';

export type Setup = Awaited<ReturnType<typeof open>>;

/** A way in which a client connects to the server. */
export interface Way {
  name: string;
  /** Starts the server for an academy at this URL, or returns how the client starts it. */
  place(academy: { url: string; apiKey: string }): Promise<Place>;
}

const stdio: Way = {
  name: 'stdio',
  place: async ({ url, apiKey }) => ({
    environment: { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: apiKey, ACADEMY_RATE_LIMIT: 'off' },
  }),
};

const overHttp = (name: string, stateless: boolean): Way => ({
  name,
  place: ({ url }) => startHttp({}, { stateless, baseUrl: url }),
});

export const ways: Way[] = [stdio, overHttp('HTTP', false), overHttp('HTTP without sessions', true)];

/** A client, and the proxy between the server and its academy. */
async function open(way: Way, era: Era, person: Person | undefined) {
  const sandbox = await start({ students: 40, orders: 200 });
  const between = await startFaultServer(sandbox.url);
  return { client: await era.connect(await way.place({ url: between.url, apiKey: sandbox.apiKey }), person), between };
}

/**
 * Gives the tests of a file one server and one client for each way and era, opened by the first test that needs them
 * and closed after the last: starting them takes longer than all their requests. With a `person`, the client supports
 * elicitation.
 */
export function sharedSetups(person?: Person): (way: Way, era: Era) => Promise<Setup> {
  const opened = new Map<string, Promise<Setup>>();
  const { run, close } = createScope();
  afterAll(close);
  return (way, era) => {
    const name = `${way.name}, ${era.name}`;
    const setup = opened.get(name) ?? run(() => open(way, era, person));
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
  const answerLate = async ({ answer, work: perform }: Exchange) => {
    leaving.abort(new Error('changed my mind'));
    await left;
    answer(await perform());
  };
  between.arm({ name: 'answered late', fault: { at: 'body', act: answerLate } });
  const [result] = await Promise.allSettled([work(leaving.signal)]);
  leave();
  if (result.status === 'fulfilled') throw new Error('a cancelled call was answered');
  return result.reason as unknown;
}
