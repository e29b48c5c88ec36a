import { account as documented } from '../../contract/account.ts';
import { isObject } from '../../shared/json.ts';
import type { JsonRecord } from './assumption.ts';
import { contentOf, fieldsShown } from './response-records.ts';

const fields = Object.keys(documented.shape);
/** Another service may have fewer matching fields by chance. */
const minFields = 3;

function isNamed({ subdomain, app_name: name }: JsonRecord): boolean {
  return [subdomain, name].some((text) => typeof text === 'string' && text.trim() !== '');
}

/**
 * Finds the account in the answer of the account endpoint, wrapped or bare. Undefined for other JSON. A name is not
 * enough, since many answers of other services have one.
 */
export function findAccount(body: unknown): JsonRecord | undefined {
  if (!isObject(body)) return undefined;
  const answer = contentOf(body);
  const account = isObject(answer.account) ? answer.account : answer;
  const isBeside = isObject(answer.capabilities) || Array.isArray(answer.webhook_events);
  if (!isNamed(account) || (!isBeside && fieldsShown(fields, account) < minFields)) return undefined;
  return { ...answer, account };
}
