import { nothingSentError } from '../api/writes/write.ts';
import { type OldValues, oldValuesLookup } from '../contract/lookups/old-values.ts';
import type { Operation } from '../contract/operation.ts';
import { AcademyError, type ErrorCode } from '../shared/errors.ts';
import type { Json } from '../shared/json.ts';
import { prepareLookup } from './titles.ts';
import type { ToolContext } from './tool.ts';

/** After these errors of the read, the update is not sent: it would wait for the same limit, or the caller has left. */
const endingCodes: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'cancelled', 'unauthorized']);

/**
 * Reads the values that an update is about to overwrite, by at most one request. Values that cannot be read are missing.
 * Undefined after an identical update of unknown outcome: the values may be its own.
 */
export async function readBeforeUpdate(
  operation: Operation,
  input: Json,
  context: ToolContext,
): Promise<OldValues | undefined> {
  if (await context.isOutcomeUnknown(operation, input)) return undefined;
  try {
    return await oldValuesOf(operation)?.(input, context);
  } catch (error) {
    if (!(error instanceof AcademyError)) throw error;
    if (endingCodes.has(error.code)) throw nothingSentError(error);
    return { values: {} };
  }
}

type ReadOldValues = (input: Json, context: Pick<ToolContext, 'api' | 'recordIndex'>) => Promise<OldValues>;

/** Reads the values that an update overwrites, by at most one request; undefined for an operation that overwrites nothing. */
export function oldValuesOf({ id }: Operation): ReadOldValues | undefined {
  const lookup = oldValuesLookup(id);
  if (lookup === undefined) return undefined;
  return async (input, { api, recordIndex }) =>
    (await prepareLookup(lookup, input, recordIndex)?.(api)) ?? { values: {} };
}
