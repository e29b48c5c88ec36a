import { asOf } from '../../insights/period.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { insertRows } from '../rows/insert-rows.ts';
import type { Store } from '../store.ts';

/** Reads a value that the filling keeps between two starts; undefined if there is none. */
export async function readState(store: Pick<Store, 'read'>, key: string): Promise<string | undefined> {
  const [[value = null] = []] = await store.read('SELECT value FROM fill_state WHERE key = ?', [key]);
  return typeof value === 'string' ? value : undefined;
}

export function writeState(key: string, value: string | undefined): Statement {
  if (value === undefined) return { sql: 'DELETE FROM fill_state WHERE key = ?', values: [key] };
  return { sql: 'INSERT OR REPLACE INTO fill_state (key, value) VALUES (?, ?)', values: [key, value] };
}

/** What is known of the completeness of one table. */
export interface SyncState {
  readonly name: string;
  readonly complete: boolean;
  /** Undefined: complete from the beginning, or not at all. */
  readonly completeFrom?: string | undefined;
  /** As the API counts. */
  readonly total?: number | undefined;
  readonly asOf: Date;
  readonly problem?: string | undefined;
}

export function writeSync({ name, complete, completeFrom, total, asOf: at, problem }: SyncState): Statement[] {
  const row: Cell[] = [name, Number(complete), completeFrom ?? null, total ?? null, asOf(at), problem ?? null];
  return insertRows('sync', [row]);
}
