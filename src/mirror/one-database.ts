import { AcademyError } from '../shared/errors.ts';
import { RefusedError } from './engine/refused-error.ts';
import type { Store } from './store.ts';

/** How often the reads are repeated. */
const mostTries = 3;

function isReplaced(pinned: Store): Promise<boolean> {
  return pinned.read('SELECT 1').then(
    () => false,
    () => true,
  );
}

/**
 * Runs several reads over the newest database. They are repeated if another database takes its place meanwhile, such as an empty one
 * after a damaged page: what one database covers says nothing of the rows of another.
 */
export async function withOneDatabase<Result>(store: Store, ask: (pinned: Store) => Promise<Result>): Promise<Result> {
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const pinned = await store.newest();
    const [outcome] = await Promise.allSettled([ask(pinned)]);
    const hasFailed = outcome.status === 'rejected';
    // A refused statement is refused by each database, and may have taken all its time.
    if (hasFailed && outcome.reason instanceof RefusedError) throw outcome.reason;
    if (await isReplaced(pinned)) continue;
    if (hasFailed) throw outcome.reason;
    return outcome.value;
  }
  throw new AcademyError('internal', 'the database of the mirror was replaced several times');
}
