import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../src/sandbox/seed/random.ts';
import type { Act, Exchange } from '../fault.ts';
import type { FaultServer } from '../fault-server.ts';
import { faultKinds } from '../faults.ts';

/** The program's timeout for an answer, in milliseconds, instead of 30 s. */
export const timeoutMs = 250;

type BodyAct = (exchange: Exchange) => unknown;

function actOf(name: string): BodyAct {
  const fault = faultKinds.find((kind) => kind.name === name)?.fault;
  if (fault?.at !== 'body') throw new Error(`${name} is not a fault of one exchange`);
  return fault.act;
}

/** How long after the client's timeout a late write may take effect, in milliseconds: before and after its last check. */
export const latest = { least: 50, most: 700 };

function lateBy(random: Random): BodyAct {
  return ({ work }) => {
    const pause = timeoutMs + random.integer(latest.least, latest.most);
    void sleep(pause)
      .then(work)
      .catch(() => {});
  };
}

const doneAtOnce = ['RST after body', '502 applied', 'body cut'].map(actOf);
const notDone = ['FIN after body', '429 with seconds', '500', '502 not applied', '503 + Retry-After'].map(actOf);

export const isRead = (method: string, path: string): boolean =>
  method === 'GET' || path.endsWith('/completion-percentage');

/** From now on, until the returned function, each request fails with the chance of its kind; all faults are equally likely. */
export function startWeather(
  server: FaultServer,
  random: Random,
  chances: { write: number; read: number },
): () => void {
  const faults: readonly BodyAct[] = [...doneAtOnce, lateBy(random), ...notDone];
  const arm = (name: string, chance: number, isFor: (read: boolean) => boolean) => {
    const fault: Act = { at: 'body', act: (exchange) => random.pick(faults)(exchange) };
    const match = (method: string, path: string) => isFor(isRead(method, path)) && random.chance(chance);
    return server.arm({ name, fault, match, times: Number.POSITIVE_INFINITY });
  };
  const armed = [
    arm('a write fails', chances.write, (read) => !read),
    arm('a read fails', chances.read, (read) => read),
  ];
  return () => {
    for (const one of armed) one.disarm();
  };
}
