import * as z from 'zod';
import { type EventName, eventNames } from '../contract/events.ts';
import { SettingsError } from '../shared/errors.ts';
import { texts } from './seed/texts.ts';

// The messages name the valid values: the user who starts a sandbox reads them.

function wholeNumber(minimum: number, maximum: number) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int(message).min(minimum, message).max(maximum, message);
}

function decimalNumber(minimum: number, maximum: number) {
  const message = `must be a number from ${minimum} to ${maximum}`;
  return z.number(message).min(minimum, message).max(maximum, message);
}

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of ${names.join(', ')}`);

const listOf = <Item extends z.ZodType>(item: Item, what: string) => z.array(item, `must be a list of ${what}`);

export function optionsObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `unknown setting ${issue.keys.join(', ')}` : 'must be an object',
  });
}

const keyRule = 'must be 1 to 200 visible ASCII characters, without quotes, commas and semicolons';

/** The header `Token token="KEY"` may contain other pairs after the key. */
const key = z.string('must be text').regex(/^(?!.*[",;])[\x21-\x7e]{1,200}$/, keyRule);

const subdomainRule = 'must be lower-case letters, digits and inner hyphens, and not "api"';

/** The paths of the first account start with `api`. */
const subdomain = z.string(subdomainRule).regex(/^(?!api$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, subdomainRule);

/** fetch refuses a URL with a user name or password. */
function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

const urlMessage = 'must be an http or https URL without a user name';

export const webhook = optionsObject({
  event: oneOf(eventNames as [EventName, ...EventName[]]),
  url: z.string(urlMessage).refine(isHttpUrl, urlMessage),
});

const courseIds = new Set(texts.courses.map(({ id }) => id));

/** A seeded course: the API cannot add others. */
export const courseId = z
  .int('must be the id of a course')
  .refine((id) => courseIds.has(id), { error: ({ input }) => `course ${input} not found` });

const rateLimitRule = 'must be a whole number of requests from 1, or "off"';

const accountFields = {
  plan: oneOf(['standard', 'academy']),
  rateLimit: z.union([z.int().min(1, rateLimitRule), z.literal('off')], rateLimitRule),
  seed: wholeNumber(0, 4_294_967_295),
  students: wholeNumber(0, 100_000),
  orders: wholeNumber(0, 1_000_000),
  sequence: oneOf(['absolute', 'shift']),
  activity: decimalNumber(0, 6000),
  protectedCourses: listOf(courseId, 'course ids'),
  webhooks: listOf(webhook, 'webhooks'),
};

export const accountOptions = optionsObject({
  subdomain,
  apiKeys: listOf(key, 'at least one key').min(1, 'must be a list of at least one key'),
  studentKeys: listOf(key, 'keys').default([]),
  ...z.object(accountFields).partial().shape,
});

export const optionFields = {
  host: z.string('must be an address').min(1, 'must be an address').default('127.0.0.1'),
  /** 0 selects a free port. */
  port: wholeNumber(0, 65_535).default(0),
  apiKey: key.default('sandbox-admin-key'),
  /** The key of a user who is not an admin: every response is 403. */
  studentKey: key.default('sandbox-student-key'),
  plan: accountFields.plan.default('standard'),
  /** Requests per window. Default: 60, or 300 on the academy plan. */
  rateLimit: accountFields.rateLimit.optional(),
  seed: accountFields.seed.default(1),
  students: accountFields.students.default(500),
  orders: accountFields.orders.default(2000),
  /** The newest time of the seeded data, and the start of the academy's clock. Default: the real time. */
  now: z.date('must be a date').optional(),
  webhooks: accountFields.webhooks.default([]),
  /** Journal file. Without it, all changes are lost when the process ends. */
  data: z.string('must be the name of a file').min(1, 'must be the name of a file').optional(),
  latencyMs: decimalNumber(0, 600_000).default(0),
  /** Share of requests that fail, 0 to 1. */
  failRate: decimalNumber(0, 1).default(0),
  /** Whether a lesson at an occupied position keeps its number or shifts the others. */
  sequence: accountFields.sequence.default('absolute'),
  /** Simulated member activities per minute in each account. */
  activity: accountFields.activity.default(0),
  /** Courses whose progress cannot be reset (403). */
  protectedCourses: accountFields.protectedCourses.default([]),
  /** Several academies in one process, instead of apiKey and studentKey. The first is also at the root. */
  accounts: listOf(accountOptions, 'accounts').min(1, 'must contain at least one account').optional(),
  /** The window of the rate limit, in ms. The API's is one minute; tests shorten it. */
  windowMs: wholeNumber(1, 86_400_000).default(60_000),
  /** Pause before the second attempt of a webhook, in ms. Doubles with each attempt. */
  webhookBackoffMs: decimalNumber(0, 600_000).default(1000),
  webhookTimeoutMs: decimalNumber(1, 600_000).default(5000),
  /** Receives one line per unexpected failure and per dropped webhook. */
  log: z
    .custom<(line: string) => void>((value) => typeof value === 'function', 'must be a function')
    .default(() => () => undefined),
};

const sandboxOptions = optionsObject(optionFields);

export type SandboxOptions = z.input<typeof sandboxOptions>;
export type ResolvedOptions = z.output<typeof sandboxOptions>;
export type AccountOptions = z.input<typeof accountOptions>;
export type WebhookSubscription = z.infer<typeof webhook>;

/** Validates options and fills in the defaults. Throws a SettingsError of one line that names the option. */
export function parseOptions(options: SandboxOptions): ResolvedOptions {
  const result = sandboxOptions.safeParse(options);
  if (result.success) return result.data;
  throw new SettingsError(`sandbox options: ${firstIssue(result.error)}`);
}

/** `students: must be …`, or `[1].seed: must be …` in a list. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'is invalid';
  const location = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return location === '' ? issue.message : `${location.replace(/^\./, '')}: ${issue.message}`;
}
