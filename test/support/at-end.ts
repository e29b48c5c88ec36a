import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, onTestFinished } from 'vitest';

type Close = () => unknown;

const scopes = new AsyncLocalStorage<Close[]>();

/** Closes what was opened when the work of the scope ends or, outside of scopes, when the test ends; the last one first. */
export function atEnd(close: Close): void {
  const scope = scopes.getStore();
  if (scope === undefined) onTestFinished(async () => void (await close()));
  else scope.push(close);
}

/** A scope for what several tests share, or for work without a test. */
export function createScope() {
  const closers: Close[] = [];
  return {
    run: <Result>(work: () => Result): Result => scopes.run(closers, work),
    /** For the rest of a script. */
    enter: () => scopes.enterWith(closers),
    close: async () => {
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
    },
  };
}

/** What the tests of a file share: the first of them opens it, and it is closed after the last. */
export function sharedByTests<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  const { run, close } = createScope();
  afterAll(close);
  let opened: Promise<Opened> | undefined;
  return () => (opened ??= run(open));
}

export async function inScope<Result>(work: () => Promise<Result>): Promise<Result> {
  const { run, close } = createScope();
  return await run(work).finally(close);
}
