import { type OldValues, oldValuesLookup } from '../../contract/lookups/old-values.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Json } from '../../shared/json.ts';
import { prepareLookup } from '../prepare-lookup.ts';
import type { ToolContext } from '../tool.ts';

type ReadOldValues = (input: Json, context: Pick<ToolContext, 'api' | 'recordIndex'>) => Promise<OldValues>;

/** Reads the values that an update overwrites, by at most one request; undefined for an operation that overwrites nothing. */
export function oldValuesOf({ id }: Operation): ReadOldValues | undefined {
  const lookup = oldValuesLookup(id);
  if (lookup === undefined) return undefined;
  return async (input, { api, recordIndex }) =>
    (await prepareLookup(lookup, input, recordIndex)?.(api)) ?? { values: {} };
}
