import { recordFailureOf } from '../../api/partial-failure.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Statement } from '../engine/messages.ts';
import type { Store } from '../store.ts';

// What the filling remembers in the database between two starts.

/** Reads a value that the filling keeps between two starts; undefined if there is none. */
export async function readState(store: Pick<Store, 'read'>, key: string): Promise<string | undefined> {
  const [[value = null] = []] = await store.read('SELECT value FROM fill_state WHERE key = ?', [key]);
  return typeof value === 'string' ? value : undefined;
}

export function writeState(key: string, value: string | number | undefined): Statement {
  if (value === undefined) return { sql: 'DELETE FROM fill_state WHERE key = ?', values: [key] };
  return { sql: 'INSERT OR REPLACE INTO fill_state (key, value) VALUES (?, ?)', values: [key, String(value)] };
}

/**
 * Why a record could not be read, to be stored: the code and what failed. Not the words of the API, which may quote what somebody
 * wrote and are shown later, to others. Undefined for an error that ends the step.
 */
export function failureToStore(error: unknown, what: string): string | undefined {
  const isOfRecord = error instanceof AcademyError && recordFailureOf(error, true) !== undefined;
  return isOfRecord ? `${what} could not be read (${error.code})` : undefined;
}
