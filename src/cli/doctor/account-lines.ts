import { oneLine } from '../../shared/clean-text.ts';
import { isObject } from '../../shared/json.ts';
import type { JsonRecord } from './assumption.ts';

function textOf(value: unknown, limit: number): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? oneLine(value, limit) : undefined;
}

/** Lines with the name, plan, disabled capabilities and webhook events of the account. */
export function accountLines({ account, capabilities, webhook_events: events }: JsonRecord): string[] {
  const { app_name: app, subdomain, subscription_plan: plan } = isObject(account) ? account : ({} as JsonRecord);
  const name = textOf(app, 200) ?? textOf(subdomain, 200) ?? 'an account';
  const off = Object.entries(isObject(capabilities) ? capabilities : {}).flatMap(([capability, allowed]) =>
    allowed === false ? [oneLine(capability, 60)] : [],
  );
  const rights = isObject(capabilities)
    ? 'ok  The account has every capability'
    : '!   The account shows no capabilities';
  return [
    `ok  The API answers: ${name}, plan ${textOf(plan, 60) ?? 'not shown'}`,
    off.length === 0 ? rights : `!   Disabled for this account: ${off.join(', ')}`,
    `ok  ${Array.isArray(events) ? events.length : 0} webhook events`,
  ];
}
