import type { ApiClient, CallOptions } from '../../api/api.ts';
import { type AttemptResult, jsonOf } from '../../api/http/attempt-result.ts';
import { createApi } from '../../app.ts';
import { type Config, secretsOf } from '../../config/load.ts';
import { getAccount } from '../../contract/account.ts';
import { AcademyError } from '../../shared/errors.ts';
import { createLogger } from '../../shared/logger.ts';
import type { CommandContext } from '../command-context.ts';
import type { JsonRecord } from './assumption.ts';
import { findAccount } from './find-account.ts';

/** The requests of a check, and what the API answered to the last one. */
export interface Session {
  readonly api: ApiClient;
  readonly lastBody: () => unknown;
  readonly call: CallOptions;
  readonly requests: () => number;
}

export function openSession(config: Config, { stderr, signal }: Pick<CommandContext, 'stderr' | 'signal'>): Session {
  let last: AttemptResult | undefined;
  let requests = 0;
  // The report covers the warnings that the log writes by default.
  const level = config.logLevel === 'warn' ? 'error' : config.logLevel;
  const log = createLogger(level, secretsOf(config), stderr);
  const onOutcome = (outcome: AttemptResult) => {
    last = outcome;
  };
  const onRequest = () => {
    requests += 1;
  };
  return {
    api: createApi(config, log, { onOutcome }),
    lastBody: () => last && jsonOf(last),
    call: { signal, onRequest },
    requests: () => requests,
  };
}

/** The request names no record, so a 404 means that the API itself was not found. */
function withAddressHint(error: unknown): unknown {
  if (!(error instanceof AcademyError) || error.code !== 'not_found') return error;
  const hint = 'The API is not at this address: check ACADEMY_BASE_URL.';
  return new AcademyError(error.code, error.message, { hint, cause: error });
}

function notTheAccount(): AcademyError {
  return new AcademyError('unexpected_response', 'the API answered 200, but not with the documented account', {
    hint: 'Check that ACADEMY_BASE_URL is the address of the account.',
  });
}

/** Reads the account with one request. Throws `AcademyError` if the address, the key or the answer is not usable. */
export async function readAccount({ api, call, lastBody }: Session): Promise<JsonRecord> {
  try {
    await api.call(getAccount, {}, call);
  } catch (error) {
    throw withAddressHint(error);
  }
  const account = findAccount(lastBody());
  if (account === undefined) throw notTheAccount();
  return account;
}
