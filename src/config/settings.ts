import * as z from 'zod';
import { isTimeZone } from '../insights/calendar.ts';
import { confirmPolicies } from '../mcp/confirmation/policy.ts';
import { type Toolset, toolsets } from '../mcp/toolsets.ts';

/** One setting: an environment variable and, unless it is a secret, a flag. README: "Settings" is made from these. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly env: string;
  /** Without the dashes; undefined for secrets, which every user of the machine could read in the process list. */
  readonly flag: string | undefined;
  /** How the flag's value is called in the help; undefined for a flag that takes none. */
  readonly value: string | undefined;
  readonly help: string;
  readonly schema: Schema;
}

function setting<Schema extends z.ZodType>(
  env: string,
  value: string | undefined,
  help: string,
  schema: Schema,
): Setting<Schema> {
  return { env, flag: env.replace('ACADEMY_', '').toLowerCase().replaceAll('_', '-'), value, help, schema };
}

function secret<Schema extends z.ZodType>(env: string, help: string, schema: Schema): Setting<Schema> {
  return { env, flag: undefined, value: undefined, help, schema };
}

/** Whether a name or an address, with or without the brackets of a URL, is one of this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}

export function isLoopback(url: URL): boolean {
  return isLoopbackHost(url.hostname);
}

/** Whether nobody can read along on the way to an address. */
export function isEncryptedOrLocal(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

function baseUrlProblem(url: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://';
  if (url.protocol === 'http:' && !isLoopback(url)) return 'must be https (http is for this machine only)';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (url.search !== '' || url.hash !== '') return 'must not hold a query or a fragment';
  return /\/api(\/v1)?\/?$/.test(url.pathname) ? 'must be the address without /api/v1' : undefined;
}

const baseUrl = z.string().transform((written, context) => {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const problem = url === undefined ? 'must be a URL such as https://academy.example.com' : baseUrlProblem(url);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  return url ?? z.NEVER;
});

const apiKey = z.string().regex(/^[\x21-\x7E]+$/, 'must be the key alone, without blanks or quotes');

function wholeNumber(minimum: number, maximum: number, unit: string) {
  const message = `must be a whole number of ${unit} from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, message);
}

const share = z
  .string()
  .regex(/^(0?\.\d+|1(\.0+)?)$/, 'must be above 0 and at most 1')
  .transform(Number)
  .refine((value) => value > 0, 'must be above 0 and at most 1');

/** A positive whole number, for where a word may stand too. */
const count = z
  .string()
  .regex(/^[1-9]\d{0,6}$/)
  .transform(Number);

const callerLimit = z.union([z.literal('off'), count], 'must be off or a whole number of requests a minute');

const rateLimit = z.union(
  [z.literal('auto'), z.literal('off'), count],
  'must be auto, off or a whole number of requests a minute',
);

const tokenMessage = 'must have 24 characters at least each, of letters, digits and -._~+/=';
/** What a bearer token may look like. RFC 6750, section 2.1. */
const tokenShape = /^[A-Za-z0-9\-._~+/]{24,}=*$/;

function commaList(shape: RegExp, message: string) {
  return z
    .string()
    .transform((written) => written.split(',').map((part) => part.trim()))
    .refine((parts) => parts.every((part) => shape.test(part)), message);
}

const tokenList = commaList(tokenShape, tokenMessage);

const issuer = z.string().transform((written, context) => {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  // RFC 8414, section 2. Compared letter by letter with what tokens say, so it is kept as written.
  const isIssuer =
    url !== undefined && isEncryptedOrLocal(url) && url.search === '' && url.hash === '' && url.username === '';
  if (!isIssuer) context.addIssue({ code: 'custom', message: 'must be an https URL without query or fragment' });
  return written;
});

const yesOrNo = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');

const toolsetList = z.string().transform((written, context) => {
  const names = written.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(toolsets as readonly string[]).includes(name));
  if (unknown.length > 0) {
    // What is no plain word is not repeated: it may be the key, put into the wrong variable.
    const shown = unknown.map((name) => (/^[a-z_]{1,20}$/i.test(name) ? `"${name}"` : 'a part of it'));
    const message = `${shown.join(', ')} is no toolset; there are ${toolsets.join(', ')}`;
    context.addIssue({ code: 'custom', message });
  }
  return names as Toolset[];
});

function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

export const settings = {
  baseUrl: setting('ACADEMY_BASE_URL', 'url', 'Address of the account, such as https://academy.example.com', baseUrl),
  apiKey: secret('ACADEMY_API_KEY', "API key of an admin (Account Settings, the user's api_key)", apiKey),
  authScheme: setting(
    'ACADEMY_AUTH_SCHEME',
    'scheme',
    'How the key is sent: bearer or token',
    oneOf(['bearer', 'token']).default('bearer'),
  ),
  readOnly: setting('ACADEMY_READ_ONLY', undefined, 'Offer only tools that change nothing', yesOrNo.default(false)),
  toolsets: setting(
    'ACADEMY_TOOLSETS',
    'names',
    `Offer only these groups of tools: ${toolsets.join(', ')}`,
    toolsetList.optional(),
  ),
  confirm: setting(
    'ACADEMY_CONFIRM',
    'policy',
    'What the six destructive tools, bulk_enroll_students and apply_course_outline need: auto, argument, preview, human or block (see Safety)',
    oneOf(confirmPolicies).default('auto'),
  ),
  confirmSecret: secret(
    'ACADEMY_CONFIRM_SECRET',
    'Key of the codes of ACADEMY_CONFIRM=preview (by default a new one for each process), of the signatures of cursors (by default none) and of the hashes in the audit log (by default derived from ACADEMY_API_KEY), 16 characters at least',
    z.string().min(16, 'must have 16 characters at least').optional(),
  ),
  lockdown: setting(
    'ACADEMY_LOCKDOWN',
    undefined,
    'Once an answer has carried text that members wrote, every write needs confirm',
    yesOrNo.default(false),
  ),
  auditLog: setting(
    'ACADEMY_AUDIT_LOG',
    'file',
    'File to which each write that is sent adds two JSON lines, before it leaves and with its outcome; several processes may share it',
    z.string().optional(),
  ),
  rateLimit: setting(
    'ACADEMY_RATE_LIMIT',
    'limit',
    "Requests a minute of the account; auto: 60 until get_account shows an academy plan, then 300; off: none, on this machine's own addresses only",
    rateLimit.default('auto'),
  ),
  rateShare: setting(
    'ACADEMY_RATE_SHARE',
    'share',
    'The part of that limit to use, above 0 up to 1',
    share.default(0.9),
  ),
  timezone: setting(
    'ACADEMY_TIMEZONE',
    'zone',
    'Where days and weeks begin in questions such as "last week": an IANA name such as Europe/Lisbon',
    z.string().refine(isTimeZone, 'must be an IANA time zone such as UTC or Europe/Lisbon').default('UTC'),
  ),
  maxWaitMs: setting(
    'ACADEMY_MAX_WAIT_MS',
    'milliseconds',
    'Longest wait for a free request before a call answers rate_limited',
    wholeNumber(0, 600_000, 'milliseconds').default(45_000),
  ),
  timeoutMs: setting(
    'ACADEMY_TIMEOUT_MS',
    'milliseconds',
    'Longest wait for an answer of the API',
    wholeNumber(100, 600_000, 'milliseconds').default(30_000),
  ),
  quarantineMs: setting(
    'ACADEMY_QUARANTINE_MS',
    'milliseconds',
    'After a write of unknown outcome: how long an equal call only looks whether it was done',
    wholeNumber(0, 3_600_000, 'milliseconds').default(120_000),
  ),
  preflight: setting(
    'ACADEMY_PREFLIGHT',
    'true-or-false',
    'Before creating: look whether an equal lesson or channel is there already, or whether a student holds what is granted (one request or more)',
    yesOrNo.default(true),
  ),
  httpTokens: secret(
    'ACADEMY_HTTP_TOKENS',
    'Tokens that let clients in over HTTP, separated by commas, 24 characters each at least; several, so that one can be replaced',
    tokenList.default([]),
  ),
  httpAllowedHosts: setting(
    'ACADEMY_HTTP_ALLOWED_HOSTS',
    'hosts',
    'Host headers to answer to over HTTP, with port, separated by commas; by default those of the address that is listened on',
    commaList(
      /^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/,
      'must be lower-case hosts such as mcp.example.com or 10.0.0.5:3000',
    ).optional(),
  ),
  httpAllowedOrigins: setting(
    'ACADEMY_HTTP_ALLOWED_ORIGINS',
    'origins',
    'Web origins whose pages may call over HTTP, separated by commas; by default none but that of the very address that is listened on, where that is on this machine',
    commaList(/^https?:\/\/[a-z0-9.:[\]-]+$/, 'must be origins such as https://app.example.com').default([]),
  ),
  httpRateLimit: setting(
    'ACADEMY_HTTP_RATE_LIMIT',
    'requests',
    'Requests a minute that one caller may make over HTTP, or off; apart from the limit of the API',
    callerLimit.default(600),
  ),
  httpMaxInFlight: setting(
    'ACADEMY_HTTP_MAX_IN_FLIGHT',
    'requests',
    'Requests of one caller that may be under way at once over HTTP',
    wholeNumber(1, 10_000, 'requests').default(256),
  ),
  metricsToken: secret(
    'ACADEMY_METRICS_TOKEN',
    'Bearer token for GET /metrics, 24 characters at least; without it /metrics answers this machine alone. Behind a proxy it must be set',
    z.string().regex(tokenShape, tokenMessage).optional(),
  ),
  oauthIssuer: setting(
    'ACADEMY_OAUTH_ISSUER',
    'url',
    'Authorization server (OAuth 2.1, issuer URL) whose access tokens let clients in over HTTP',
    issuer.optional(),
  ),
  oauthAudience: setting(
    'ACADEMY_OAUTH_AUDIENCE',
    'audience',
    "What those tokens must be for: this server's own address, such as https://mcp.example.com/mcp",
    z.string().min(1).optional(),
  ),
  logLevel: {
    env: 'LOG_LEVEL',
    flag: 'log-level',
    value: 'level',
    help: 'What is logged to standard error: trace, debug, info, warn, error, fatal or silent',
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('warn'),
  },
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
