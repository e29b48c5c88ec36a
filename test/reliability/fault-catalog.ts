import type { Act } from './fault.ts';

export type Match = (method: string, path: string, body: string) => boolean;

/** An armed fault, and how many requests it has met. */
export interface Armed {
  readonly left: () => number;
  readonly consumed: () => number;
  disarm(): void;
}

export interface ToArm {
  readonly name: string;
  readonly fault: Act;
  /** The requests that it applies to; default: any. A fault at the connection hits the first connection. */
  readonly match?: Match;
  readonly times?: number;
}

interface Waiting extends Required<ToArm> {
  times: number;
  consumed: number;
}

/** Scripted faults, with their state: still armed, or consumed. */
export function createFaultCatalog() {
  const waiting: Waiting[] = [];

  function arm({ match = () => true, times = 1, ...rest }: ToArm): Armed {
    const entry: Waiting = { ...rest, match, times, consumed: 0 };
    waiting.push(entry);
    const disarm = () => {
      entry.times = 0;
    };
    return { left: () => entry.times, consumed: () => entry.consumed, disarm };
  }

  /** Takes the first fault that is armed for this, and counts one use. */
  function take<At extends Act['at']>(at: At, fits: (match: Match) => boolean) {
    const entry = waiting.find((other) => other.fault.at === at && other.times > 0 && fits(other.match));
    if (entry === undefined) return undefined;
    entry.times -= 1;
    entry.consumed += 1;
    return { name: entry.name, fault: entry.fault as Extract<Act, { at: At }> };
  }

  return { arm, take };
}
