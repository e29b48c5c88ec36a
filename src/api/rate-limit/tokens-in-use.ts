import { randomUUID } from 'node:crypto';

/** The tokens of requests that were sent, by name. */
export interface TokensInUse {
  /** A request is sent with this token, or with one that has no name yet. */
  start(id?: string): void;
  /** The oldest request under way has ended. Returns the name of its token. */
  end(): string | undefined;
  underWay(): readonly string[];
  /** Sets when a token returns, in milliseconds of the monotonic clock. */
  setReturn(id: string, time: number): void;
  forget(id: string): void;
  /** Forgets the tokens that have returned. */
  forgetReturned(): void;
  /** Names of the tokens of answered requests, with the milliseconds until they return. Below 0: they have returned. */
  returns(): ReadonlyMap<string, number>;
  /** When tokens return that have not done so yet, in milliseconds from now, the earliest first. */
  pending(): readonly number[];
}

export function createTokensInUse(): TokensInUse {
  const underWay: string[] = [];
  const returning = new Map<string, number>();
  const returns = () => {
    const now = performance.now();
    return new Map([...returning].map(([id, time]) => [id, time - now] as const));
  };
  return {
    start: (id = randomUUID()) => void underWay.push(id),
    end: () => underWay.shift(),
    underWay: () => underWay,
    setReturn: (id, time) => void returning.set(id, time),
    forget: (id) => void returning.delete(id),
    forgetReturned: () => {
      for (const [id, time] of returning) if (time < performance.now()) returning.delete(id);
    },
    returns,
    pending: () => [...returns().values()].filter((time) => time > 0).sort((one, other) => one - other),
  };
}
