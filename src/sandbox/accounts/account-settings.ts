import type * as z from 'zod';
import { SettingsError } from '../../shared/errors.ts';
import type { accountOptions, ResolvedOptions, WebhookSubscription } from '../options.ts';

/** The settings of one account, with all defaults filled in. */
export interface AccountSettings {
  subdomain: string;
  apiKeys: readonly string[];
  studentKeys: readonly string[];
  plan: 'standard' | 'academy';
  rateLimit: number | 'off';
  seed: number;
  students: number;
  orders: number;
  sequence: 'absolute' | 'shift';
  activity: number;
  protectedCourses: number[];
  webhooks: WebhookSubscription[];
}

/** API document: "Limits". Requests per minute. */
const limitOfPlan = { standard: 60, academy: 300 };

type ParsedAccountOptions = z.output<typeof accountOptions>;

/** The accounts to run, in order: those listed, or one named "demo". Throws a SettingsError for a duplicate key or subdomain. */
export function accountSettings(options: ResolvedOptions): AccountSettings[] {
  const given = options.accounts ?? [onlyAccount(options)];
  refuseDuplicates(given);
  return given.map((account, index) => fillIn(account, options, index));
}

function onlyAccount({ apiKey, studentKey }: ResolvedOptions): ParsedAccountOptions {
  return { subdomain: 'demo', apiKeys: [apiKey], studentKeys: [studentKey] };
}

/** Accounts without a seed get consecutive ones, so their data differ. */
function fillIn(account: ParsedAccountOptions, options: ResolvedOptions, index: number): AccountSettings {
  const plan = account.plan ?? options.plan;
  return {
    subdomain: account.subdomain,
    apiKeys: account.apiKeys,
    studentKeys: account.studentKeys,
    plan,
    rateLimit: account.rateLimit ?? options.rateLimit ?? limitOfPlan[plan],
    seed: account.seed ?? options.seed + index,
    students: account.students ?? options.students,
    orders: account.orders ?? options.orders,
    sequence: account.sequence ?? options.sequence,
    activity: account.activity ?? options.activity,
    protectedCourses: account.protectedCourses ?? options.protectedCourses,
    webhooks: account.webhooks ?? options.webhooks,
  };
}

/** A key belongs to one user of one account; a subdomain to one account. */
function refuseDuplicates(accounts: readonly ParsedAccountOptions[]): void {
  const seen = new Map<string, string>();
  for (const { subdomain, apiKeys, studentKeys } of accounts) {
    const names = [`subdomain ${subdomain}`, ...[...apiKeys, ...studentKeys].map((key) => `key ${key}`)];
    for (const name of names) {
      const owner = seen.get(name);
      if (owner !== undefined) throw new SettingsError(duplicateMessage(name, subdomain, owner));
      seen.set(name, subdomain);
    }
  }
}

function duplicateMessage(name: string, subdomain: string, owner: string): string {
  if (name.startsWith('subdomain ')) return `sandbox accounts: subdomain "${subdomain}" is used twice`;
  return `sandbox accounts: "${subdomain}" and "${owner}" share a key; each key must be unique`;
}
