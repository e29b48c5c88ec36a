import type { ApiClient, CallOptions } from '../../api/api.ts';
import { type AttemptResult, jsonOf } from '../../api/http/attempt-result.ts';
import { createApi } from '../../app.ts';
import { type Config, secretsOf } from '../../config/load.ts';
import { account as documented, getAccount } from '../../contract/account.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { createLogger } from '../../shared/logger.ts';
import type { CommandContext } from '../command-context.ts';

/** A record as the API sent it, before decoding drops or converts anything. */
export type JsonRecord = Readonly<Record<string, unknown>>;

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

/** Counts the documented fields that a record has, whatever their values. */
export function fieldsShown(fields: readonly string[], row: JsonRecord): number {
  return fields.filter((name) => Object.hasOwn(row, name)).length;
}

/** Another service may have fewer matching fields by chance. */
const minFields = 3;

/**
 * Finds the account in the answer of the account endpoint, bare or under `data`. Undefined for other JSON. A name is not
 * enough, since many answers of other services have one.
 */
function findAccount(body: unknown): JsonRecord | undefined {
  if (!isObject(body)) return undefined;
  const answer: JsonRecord = isObject(body.data) ? body.data : body;
  const account: JsonRecord = isObject(answer.account) ? answer.account : answer;
  const isNamed = [account.subdomain, account.app_name].some((text) => typeof text === 'string' && text.trim() !== '');
  const isBeside = isObject(answer.capabilities) || Array.isArray(answer.webhook_events);
  const isAccount = isBeside || fieldsShown(Object.keys(documented.shape), account) >= minFields;
  return isNamed && isAccount ? { ...answer, account } : undefined;
}

/** Reads the account with one request. Throws `AcademyError` if the address, the key or the answer is not usable. */
export async function readAccount({ api, call, lastBody }: Session): Promise<JsonRecord> {
  try {
    await api.call(getAccount, {}, call);
  } catch (error) {
    if (!(error instanceof AcademyError) || error.code !== 'not_found') throw error;
    // The request names no record, so a 404 means that the API itself was not found.
    const hint = 'The API is not at this address: check ACADEMY_BASE_URL.';
    throw new AcademyError(error.code, error.message, { hint, cause: error });
  }
  const account = findAccount(lastBody());
  if (account !== undefined) return account;
  throw new AcademyError('unexpected_response', 'the API answered 200, but not with the documented account', {
    hint: 'Check that ACADEMY_BASE_URL is the address of the account.',
  });
}

function textOf(value: unknown, limit: number): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? oneLine(value, limit) : undefined;
}

/** Lines with the name, plan, disabled capabilities and webhook events of the account. */
export function accountLines({ account, capabilities, webhook_events: events }: JsonRecord): string[] {
  const { app_name: app, subdomain, subscription_plan: plan } = isObject(account) ? account : ({} as JsonRecord);
  const name = textOf(app, 200) ?? textOf(subdomain, 200) ?? 'an account';
  const rights = isObject(capabilities) ? Object.entries(capabilities) : undefined;
  const off = rights?.flatMap(([capability, allowed]) => (allowed === false ? [oneLine(capability, 60)] : [])) ?? [];
  const all = rights ? 'ok  The account has every capability' : '!   The account shows no capabilities';
  return [
    `ok  The API answers: ${name}, plan ${textOf(plan, 60) ?? 'not shown'}`,
    off.length === 0 ? all : `!   Disabled for this account: ${off.join(', ')}`,
    `ok  ${Array.isArray(events) ? events.length : 0} webhook events`,
  ];
}
