import * as z from 'zod';
import { didYouMean } from '../config/closest-match.ts';
import { isExampleAddress } from '../config/placeholders.ts';
import { apiLimit, baseUrl, fraction, oneOf, timeZone, toolsetList } from '../config/value-schemas.ts';
import { confirmPolicies } from '../mcp/confirmation/policy.ts';
import { SettingsError } from '../shared/errors.ts';
import { isLoopback } from '../shared/loopback.ts';

/** Names are in addresses of resources, labels of metrics and the audit log, so they have no other characters. */
export const plainName = z
  .string('must be a name')
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,39}$/,
    'must be 1 to 40 lower-case letters, digits, hyphens or underscores, and start with a letter or digit',
  );

interface Named {
  readonly accounts: readonly { readonly name: string; readonly base_url: URL }[];
  readonly callers: readonly { readonly accounts: readonly string[] }[];
}

type Issue = z.core.$ZodRawIssue;

function problem(path: PropertyKey[], message: string, input: unknown): Issue {
  return { code: 'custom', path, message, input };
}

/** An address without the differences that lead to the same academy. */
function addressOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}

/** Two accounts of one address would each use its whole request limit. */
function duplicates({ accounts }: Named): Issue[] {
  return accounts.flatMap(({ name, base_url }, index) => {
    const before = accounts.slice(0, index);
    const isNameTaken = before.some((other) => other.name === name);
    const sameAddress = before.find((other) => addressOf(other.base_url) === addressOf(base_url));
    return [
      ...(isNameTaken ? [problem(['accounts', index, 'name'], `is used twice: ${name}`, name)] : []),
      ...(sameAddress === undefined
        ? []
        : [problem(['accounts', index, 'base_url'], `is also the address of ${sameAddress.name}`, base_url.href)]),
    ];
  });
}

function unknownNames({ accounts, callers }: Named): Issue[] {
  const names = accounts.map(({ name }) => name);
  return callers.flatMap((caller, index) =>
    caller.accounts.flatMap((name, place) =>
      names.includes(name)
        ? []
        : [problem(['callers', index, 'accounts', place], `names no account${didYouMean(name, names)}`, name)],
    ),
  );
}

/** Names and addresses that occur twice, and accounts of callers that do not exist. */
function uniqueProblems(file: Named): Issue[] {
  return [...duplicates(file), ...unknownNames(file)];
}

// Each field of an account has the name and the values of the setting ACADEMY_<FIELD>. A message continues the sentence
// that starts with the path of the field.

/** A value that a person may write as a number, read as the text of its setting. */
const asText = <Schema extends z.ZodType<unknown, string>>(schema: Schema) =>
  z.union([z.string(), z.number()], 'must be text or a number').transform(String).pipe(schema);

const variable = z.string('must be the name of a variable').regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable');
const file = z.string('must be the path of a file').min(1, 'must be the path of a file');

/** Secrets are never in the file, only the variable or the file that has one. */
const secretFields = new Set(['api_key', 'key', 'token', 'secret', 'webhook_secret']);

function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return 'must be an object';
      const secret = issue.keys.find((key) => secretFields.has(key));
      if (secret !== undefined)
        return `must not contain ${secret}: name a variable (_env) or a file (_file) that has it`;
      return `must not have the field ${issue.keys.join(', ')}; the fields are ${Object.keys(shape).join(', ')}`;
    },
  });
}

type Payload = z.core.ParsePayload<Record<string, unknown>>;

/** Exactly one of `<name>_env` and `<name>_file`, or at most one if it is optional. */
function refuseTwoSources(name: string, context: Payload, isOptional = false): void {
  const given = [`${name}_env`, `${name}_file`].filter((field) => context.value[field] !== undefined);
  if (given.length === 1 || (isOptional && given.length === 0)) return;
  const message = isOptional
    ? `must not have both ${name}_env and ${name}_file`
    : `must have either ${name}_env or ${name}_file`;
  context.issues.push({ code: 'custom', message, input: context.value });
}

const account = strict({
  name: plainName,
  base_url: z
    .string('must be a URL such as https://academy.example.com')
    .pipe(baseUrl)
    .refine((url) => !isExampleAddress(url), 'is still the address of an example'),
  api_key_env: variable.optional(),
  api_key_file: file.optional(),
  auth_scheme: oneOf(['bearer', 'token']).optional(),
  rate_limit: asText(apiLimit).optional(),
  rate_share: asText(fraction).optional(),
  timezone: timeZone.optional(),
  toolsets: z
    .array(z.string('must be the name of a toolset'), 'must be a list of toolsets')
    .min(1, 'must be a list of toolsets')
    .transform((names) => names.join(','))
    .pipe(toolsetList)
    .optional(),
  read_only: z.boolean('must be true or false').optional(),
  confirm: oneOf(confirmPolicies).optional(),
  webhook_secret_env: variable.optional(),
  webhook_secret_file: file.optional(),
  events_file: file.optional(),
})
  .check((context) => refuseTwoSources('api_key', context))
  .check((context) => refuseTwoSources('webhook_secret', context, true))
  .refine(({ rate_limit, base_url }) => rate_limit !== 'off' || isLoopback(base_url), {
    path: ['rate_limit'],
    message: 'must not be off for an academy on another machine',
  });

const caller = strict({
  name: z
    .string('must be a name')
    .regex(/^[a-z0-9-]{1,32}$/, 'must have at most 32 characters: lower-case letters, digits and -')
    .optional(),
  token_env: variable.optional(),
  token_file: file.optional(),
  accounts: z
    .array(z.string('must be the name of an account'), 'must be a list of accounts')
    .min(1, 'must name at least one account'),
}).check((context) => refuseTwoSources('token', context));

const accountsFile = strict({
  accounts: z.array(account, 'must be a list of accounts').min(1, 'must have at least one account'),
  callers: z.array(caller, 'must be a list of callers').default([]),
  oauth_claim: z
    .string('must be the name of a claim')
    .min(1, 'must be the name of a claim')
    .default('academy_accounts'),
}).check((context) => void context.issues.push(...uniqueProblems(context.value)));

export type AccountsFile = z.output<typeof accountsFile>;
export type AccountEntry = AccountsFile['accounts'][number];

/** `accounts[1].timezone must be …`; the file itself has no path. */
function describe({ path, message }: z.core.$ZodIssue): string {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return `${place.replace(/^\./, '')} ${message}`.trim();
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new SettingsError(`${path} is not JSON`);
  }
}

/** Parses an accounts file. Throws `SettingsError` that names the file, the field and the problem. */
export function parseAccountsFile(text: string, path: string): AccountsFile {
  const parsed = accountsFile.safeParse(parseJson(text, path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SettingsError(`${path}: ${issue === undefined ? 'it is invalid' : describe(issue)}`);
}
