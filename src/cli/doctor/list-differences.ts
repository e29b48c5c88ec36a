import type { Difference, RecordList } from './assumption.ts';
import { differs } from './mask-value.ts';

/** Compares a list with the documented one: under `key`, with a record in each entry. */
export function listDifferences(list: RecordList, key: string): readonly Difference[] {
  const strange = list.nonRecords > 0 ? differs(`entries that are not records: ${list.nonRecords}`) : [];
  const moved = list.key === key ? [] : differs('the list is under another key', true);
  return [...strange, ...moved];
}
