import * as z from 'zod';
import { type EventName, eventNames } from '../contract/events.ts';
import { SettingsError } from '../shared/errors.ts';
import { decimalNumber, listOf, oneOf, optionsObject, wholeNumber } from './option-schemas.ts';
import { courseTexts } from './seed/catalogue.ts';

/** A key stands in a header, where `Token token="KEY"` may be followed by other pairs. */
const key = z
  .string('must be text')
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters')
  .refine((value) => !/[",;]/.test(value), 'must not hold a quote, comma or semicolon');

/** `api` is where the paths of the first account begin. */
const subdomain = z
  .string('must be lower-case letters, digits and inner hyphens')
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and inner hyphens')
  .refine((value) => value !== 'api', 'must not be "api"');

/** fetch refuses a URL that holds a user name or password. */
function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

const urlWords = 'must be an http or https URL without a user name';

export const webhook = optionsObject({
  event: oneOf(eventNames as [EventName, ...EventName[]]),
  url: z.string(urlWords).refine(isHttpUrl, urlWords),
});

const courseIds = new Set(courseTexts.map(({ id }) => id));

/** One of the seeded courses: the API has no way to add others. */
export const courseId = z
  .int('must be the id of a course')
  .refine((id) => courseIds.has(id), { error: ({ input }) => `there is no course ${input}` });

/** Settings that each account may have of its own. */
const accountFields = {
  plan: oneOf(['standard', 'academy']),
  rateLimit: z.union([z.int().min(1), z.literal('off')], 'must be a whole number of requests from 1, or "off"'),
  seed: wholeNumber(0, 4_294_967_295),
  students: wholeNumber(0, 100_000),
  orders: wholeNumber(0, 1_000_000),
  sequence: oneOf(['absolute', 'shift']),
  activity: decimalNumber(0, 6000),
  protectedCourses: listOf(courseId, 'course ids'),
  webhooks: listOf(webhook, 'webhooks'),
};

const apiKeysWords = 'at least one key';

export const accountOptions = optionsObject({
  subdomain,
  apiKeys: listOf(key, apiKeysWords).min(1, `must be a list of ${apiKeysWords}`),
  studentKeys: listOf(key, 'keys').default([]),
  ...z.object(accountFields).partial().shape,
});

export const optionFields = {
  host: z.string('must be an address').min(1, 'must be an address').default('127.0.0.1'),
  /** 0 takes any free port. */
  port: wholeNumber(0, 65_535).default(0),
  apiKey: key.default('sandbox-admin-key'),
  /** The key of a user who is no admin: every answer is 403. */
  studentKey: key.default('sandbox-student-key'),
  plan: accountFields.plan.default('standard'),
  /** Requests in a window. By default the plan's: 60, or 300 on the academy plan. */
  rateLimit: accountFields.rateLimit.optional(),
  seed: accountFields.seed.default(1),
  students: accountFields.students.default(500),
  orders: accountFields.orders.default(2000),
  /** The time up to which the seeded data reach, and from which the academy's clock runs. By default the real time. */
  now: z.date('must be a date').optional(),
  webhooks: accountFields.webhooks.default([]),
  /** Journal file. Without it nothing outlives the process. */
  data: z.string('must be the name of a file').min(1, 'must be the name of a file').optional(),
  /** Each answer is held back for this long. */
  latencyMs: decimalNumber(0, 600_000).default(0),
  /** Share of requests that fail, 0 to 1. */
  failRate: decimalNumber(0, 1).default(0),
  /** Whether a lesson put at a taken place keeps its number or moves the others on. */
  sequence: accountFields.sequence.default('absolute'),
  /** Happenings a minute in each account. */
  activity: accountFields.activity.default(0),
  /** Courses whose progress nobody may reset (403). */
  protectedCourses: accountFields.protectedCourses.default([]),
  /** Several academies in one process; instead of apiKey and studentKey. The first answers at the root. */
  accounts: listOf(accountOptions, 'accounts').min(1, 'must hold at least one account').optional(),
  /** The window of the rate limit, in ms. The API's is a minute; tests scale it down. */
  windowMs: wholeNumber(1, 86_400_000).default(60_000),
  /** Pause before the second try of a webhook, in ms; doubles with each try. */
  webhookBackoffMs: decimalNumber(0, 600_000).default(1000),
  webhookTimeoutMs: decimalNumber(1, 600_000).default(5000),
  /** Gets one line for each unexpected failure and each webhook given up. */
  log: z
    .custom<(line: string) => void>((value) => typeof value === 'function', 'must be a function')
    .default(() => () => undefined),
};

const sandboxOptions = optionsObject(optionFields);

export type SandboxOptions = z.input<typeof sandboxOptions>;
export type ResolvedOptions = z.output<typeof sandboxOptions>;
export type AccountOptions = z.input<typeof accountOptions>;
export type WebhookSubscription = z.infer<typeof webhook>;

/** Fills in the defaults. Throws a SettingsError of one line that names the option. */
export function parseOptions(options: SandboxOptions): ResolvedOptions {
  const result = sandboxOptions.safeParse(options);
  if (result.success) return result.data;
  throw new SettingsError(`sandbox options: ${firstIssue(result.error)}`);
}

/** `students: must be …`, or `[1].seed: must be …` in a list. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'is not valid';
  const place = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return place === '' ? issue.message : `${place.replace(/^\./, '')}: ${issue.message}`;
}
