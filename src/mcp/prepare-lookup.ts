import type { Api } from '../api/api.ts';
import type { RecordIndex, RecordLookup } from '../contract/lookups/record-lookup.ts';
import type { InputOf } from '../contract/operation.ts';
import type { Json } from '../shared/json.ts';

/** Sends one read request; undefined if its answer does not show the record. */
type PreparedLookup<Value> = (api: Api) => Promise<Value | undefined>;

/** A lookup for the arguments of a call; undefined if they do not say enough to send it. */
export function prepareLookup<Value>(
  { operation, input, value }: RecordLookup<Value>,
  given: Json,
  index: RecordIndex,
): PreparedLookup<Value> | undefined {
  // `defineLookup` has checked the input against the operation.
  const query = input(given, index) as InputOf<typeof operation> | undefined;
  return query && (async (api) => value(await api.call(operation, query), given));
}
