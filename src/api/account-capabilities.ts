import { getAccount } from '../contract/account.ts';
import { type Capability, withoutCapability } from '../contract/capabilities.ts';
import type { Operation } from '../contract/operation.ts';
import { ApiError } from '../shared/errors.ts';
import { isObject } from '../shared/json.ts';

/** The capability list of the account, as `get_account` last showed it in this process. */
export function createCapabilities() {
  let shown: Readonly<Record<string, unknown>> = {};

  function missing({ capability }: Operation): Capability | undefined {
    return [capability, 'admin_api' as const].find((name) => shown[name] === false);
  }

  return {
    learn: ({ id }: Operation, answer: object): void => {
      const list: unknown = id === getAccount.id && 'capabilities' in answer ? answer.capabilities : undefined;
      if (isObject(list)) shown = list;
    },
    /** The same error; a 403 of an operation that the account's API cannot do says so. */
    explain: (operation: Operation, error: unknown): unknown => {
      if (!(error instanceof ApiError) || error.code !== 'forbidden') return error;
      const name = missing(operation);
      if (name === undefined) return error;
      const message = `${error.message}: this account's API ${withoutCapability[name]} (capability ${name} is off)`;
      const hint = 'get_account shows what this account allows; the platform switches it, not this server.';
      return new ApiError(error.code, message, error, { hint, outcome: error.outcome, cause: error.cause });
    },
  };
}
