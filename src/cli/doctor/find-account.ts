import { account as documented } from '../../contract/account.ts';
import { isObject } from '../../shared/json.ts';
import type { Row } from './assumption.ts';
import { fieldsShown, unwrapped } from './response-records.ts';

const fields = Object.keys(documented.shape);
/** Another service may show as many by chance. */
const fewestFields = 3;

function isNamed({ subdomain, app_name: name }: Row): boolean {
  return [subdomain, name].some((text) => typeof text === 'string' && text.trim() !== '');
}

/**
 * The answer of the account endpoint, out of a wrapper or around a bare account. Undefined for JSON that is something
 * else: a name alone is in many an answer.
 */
export function accountIn(body: unknown): Row | undefined {
  if (!isObject(body)) return undefined;
  const answer = unwrapped(body);
  const account = isObject(answer.account) ? answer.account : answer;
  const isBeside = isObject(answer.capabilities) || Array.isArray(answer.webhook_events);
  if (!isNamed(account) || (!isBeside && fieldsShown(fields, account) < fewestFields)) return undefined;
  return { ...answer, account };
}
