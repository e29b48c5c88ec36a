import * as z from 'zod';
import { SettingsError } from '../../shared/errors.ts';
import { type AccountOptions, accountOptions, firstIssue, optionsObject } from '../options.ts';

const { shape } = accountOptions;

/** People write this file by hand, so it uses the snake case of the API. */
const fileAccount = optionsObject({
  subdomain: shape.subdomain,
  api_keys: shape.apiKeys,
  student_keys: shape.studentKeys,
  plan: shape.plan,
  rate_limit: shape.rateLimit,
  seed: shape.seed,
  students: shape.students,
  orders: shape.orders,
  sequence: shape.sequence,
  activity: shape.activity,
  protected_courses: shape.protectedCourses,
  webhooks: shape.webhooks,
});

const accountsFile = z.array(fileAccount, 'must be a list of accounts').min(1, 'must contain at least one account');

/**
 * Parses an accounts file: a JSON list of accounts. Throws a SettingsError of one line that names the file and the
 * field: `accounts.json: [1].seed: must be …`.
 */
export function parseAccountsFile(text: string, file: string): AccountOptions[] {
  const result = accountsFile.safeParse(parseJson(text, file));
  if (!result.success) throw new SettingsError(`${file}: ${firstIssue(result.error)}`);
  return result.data.map(({ api_keys, student_keys, rate_limit, protected_courses, ...same }) => ({
    ...same,
    apiKeys: api_keys,
    studentKeys: student_keys,
    rateLimit: rate_limit,
    protectedCourses: protected_courses,
  }));
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SettingsError(`${file}: is not JSON`);
  }
}
