import * as z from 'zod';
import { confirmPolicies, interactionPolicies } from '../mcp/confirmation/policy.ts';
import { toolsets } from '../mcp/principal.ts';
import * as values from './value-schemas.ts';

/** One setting: an environment variable and, unless it is a secret, a flag. docs/settings.md is generated from these. */
export interface Setting {
  readonly env: string;
  /** Without the dashes. Undefined for a secret: every user of the machine can read flags in the process list. */
  readonly flag: string | undefined;
  /** Name of the flag's value in the help; undefined for a flag without a value. */
  readonly value: string | undefined;
  readonly help: string;
  readonly schema: z.ZodType;
  /** The only command that uses this setting and has its flag. Undefined: all that read settings. */
  readonly command?: 'http';
  /** Variable of a hosting platform. It counts if the setting's own variable is not set. */
  readonly platformEnv?: string;
}

const setting = <Schema extends z.ZodType>(value: string | undefined, help: string, schema: Schema) => {
  return { value, help, schema, hasFlag: true };
};

/** A setting of `academy-mcp http` alone. Its flag is named without `http-`, as in `--port`. */
const httpSetting = <Schema extends z.ZodType>(value: string, help: string, schema: Schema) => {
  return { ...setting(value, help, schema), command: 'http' as const };
};

const secret = <Schema extends z.ZodType>(help: string, schema: Schema) => {
  return { ...setting(undefined, help, schema), hasFlag: false };
};

/** By name: `readOnly` is the variable ACADEMY_READ_ONLY and the flag --read-only. */
const table = {
  baseUrl: setting('url', 'Address of the account, such as https://academy.example.com', values.baseUrl),
  apiKey: secret("API key of an admin user (Account Settings, the user's api_key)", values.apiKey),
  accountsFile: setting(
    'file',
    'JSON file with several accounts, instead of ACADEMY_BASE_URL and ACADEMY_API_KEY (see Several academies)',
    z.string().optional(),
  ),
  authScheme: setting(
    'scheme',
    'How to send the key: bearer or token',
    values.oneOf(['bearer', 'token']).default('bearer'),
  ),
  readOnly: setting(undefined, 'Offer only tools that change nothing', values.trueOrFalse.default(false)),
  toolsets: setting(
    'names',
    `Offer only these groups of tools, separated by commas: ${toolsets.join(', ')}`,
    values.toolsetList.optional(),
  ),
  confirm: setting(
    'policy',
    'What the destructive tools, sync_roster, offboard_student and apply_course_outline require before they write: auto, argument, preview, human or block (see Safety)',
    values.oneOf(confirmPolicies).default('auto'),
  ),
  requireInteraction: setting(
    'when',
    'Mark those tools so that a client such as Claude Code asks a person before every call, even of allowed tools: auto (unless ACADEMY_CONFIRM=argument), on or off. Such a client refuses the call if no person can answer',
    values.oneOf(interactionPolicies).default('auto'),
  ),
  confirmSecret: secret(
    'Secret of at least 16 characters. It signs the codes of ACADEMY_CONFIRM=preview (default: a new secret for each process) and cursors (default: not signed), and keys the hashes in the audit log (default: derived from ACADEMY_API_KEY)',
    z.string().min(16, 'must have at least 16 characters').optional(),
  ),
  lockdown: setting(
    undefined,
    'Require confirmation for every write once the assistant has read member-written text',
    values.trueOrFalse.default(false),
  ),
  auditLog: setting(
    'file',
    'File that records each write as two JSON lines: one before it is sent, one with its outcome. Several processes can share it',
    z.string().optional(),
  ),
  journal: setting(
    'place',
    'Journal of changes with old and new values, for list_changes and undo_change: off, memory, or a file that several processes can share. It holds names and texts (default: off; memory with --sandbox)',
    values.journalPlace.default('off'),
  ),
  rateLimit: setting(
    'limit',
    'Requests a minute that the account allows: a number, auto (60, and 300 once get_account shows an academy plan; 60 with ACADEMY_REDIS_URL) or off (only for an academy on this machine)',
    values.apiLimit.default('auto'),
  ),
  rateShare: setting('share', 'Fraction of that limit to use, above 0 and at most 1', values.fraction.default(0.9)),
  mirror: setting(
    'place',
    'Copy of the academy for read-only SQL (describe_data, query_data, refresh_data, export_data): off, memory, or a file',
    values.mirrorPlace.default('off'),
  ),
  mirrorShare: setting(
    'share',
    'Fraction of the request budget that filling the mirror may use while there are no other requests, above 0 and at most 1',
    values.fraction.default(0.3),
  ),
  exportDir: setting(
    'folder',
    'Existing folder for the files of export_data over stdio. Over HTTP, export_data answers with a link instead',
    z.string().optional(),
  ),
  importDir: setting(
    'folder',
    'Existing folder whose files sync_roster may read over stdio: class lists as CSV',
    z.string().optional(),
  ),
  timezone: setting(
    'zone',
    'Time zone of days and weeks in questions such as "last week": an IANA name such as Europe/Lisbon',
    values.timeZone.default('UTC'),
  ),
  maxWaitMs: setting(
    'milliseconds',
    'Longest time that a call waits for the rate limit before it returns rate_limited',
    values.wholeNumber(0, 600_000, 'milliseconds').default(45_000),
  ),
  timeoutMs: setting(
    'milliseconds',
    'Longest time to wait for an API response',
    values.wholeNumber(100, 600_000, 'milliseconds').default(30_000),
  ),
  quarantineMs: setting(
    'milliseconds',
    'After an unclear write, how long an identical call only checks for its result instead of resending',
    values.wholeNumber(0, 3_600_000, 'milliseconds').default(120_000),
  ),
  preflight: setting(
    'true-or-false',
    'Before creating a lesson or channel, check that no identical one exists; before granting, check that the student does not hold the product (one or more extra requests)',
    values.trueOrFalse.default(true),
  ),
  ui: setting(
    'on-or-off',
    'Interactive views in clients with MCP Apps, such as Claude, ChatGPT and VS Code: on or off',
    values.onOrOff.default(true),
  ),
  httpHost: httpSetting(
    'address',
    'Address that academy-mcp http listens on',
    values.listenAddress.default('127.0.0.1'),
  ),
  httpPort: {
    ...httpSetting(
      'number',
      'Port that academy-mcp http listens on; 0 picks a free one. Without it, PORT counts, which hosting platforms set',
      values.port.default(3000),
    ),
    platformEnv: 'PORT',
  },
  httpTokens: secret(
    'Bearer tokens that HTTP clients can use, separated by commas, at least 24 characters each, as in anna=TOKEN to name the caller. Set two to replace one without downtime',
    values.tokenList.default([]),
  ),
  httpAllowedHosts: setting(
    'hosts',
    'Host headers to accept over HTTP, with port, separated by commas (default: the names of the address that the server listens on)',
    values.hostList.optional(),
  ),
  httpAllowedOrigins: setting(
    'origins',
    "Web origins whose pages can call over HTTP, separated by commas (default: only the server's own origin, and only on loopback)",
    values.originList.default([]),
  ),
  httpRateLimit: setting(
    'requests',
    'Requests a minute that each HTTP caller can make, or off. The API limit applies separately',
    values.callerLimit.default(600),
  ),
  httpMaxInFlight: setting(
    'requests',
    'Concurrent requests that each HTTP caller can make',
    values.wholeNumber(1, 10_000, 'requests').default(256),
  ),
  httpDrainMs: httpSetting(
    'milliseconds',
    'At shutdown, how long /readyz answers 503 while calls are still accepted, so that balancers leave first (default: 5000 if ACADEMY_REPLICAS is above 1, else 0)',
    values.wholeNumber(0, 120_000, 'milliseconds').optional(),
  ),
  redisUrl: secret(
    'Redis that several replicas of this program share, such as redis://redis:6379/0 or rediss://user:password@redis.example.com: one budget of the account, and what every replica must know (see Replicas)',
    values.redisUrl.optional(),
  ),
  redisPrefix: setting(
    'text',
    'Start of every key in that Redis. Deployments that share an account must share it',
    z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'must have 1 to 64 letters, digits, dots, dashes and underscores')
      .default('academy-mcp'),
  ),
  replicas: setting(
    'number',
    'How many replicas there may be at most; required with ACADEMY_REDIS_URL. While Redis is lost, each uses this part of the limit',
    values.wholeNumber(1, 1_000, 'replicas').optional(),
  ),
  metricsToken: secret(
    'Bearer token for GET /metrics, at least 24 characters. Required behind a proxy; without it, /metrics answers only this machine',
    values.token.optional(),
  ),
  oauthIssuer: setting(
    'url',
    'OAuth 2.1 authorization server (issuer URL) whose access tokens HTTP clients can use',
    values.issuer.optional(),
  ),
  oauthAudience: setting(
    'audience',
    "Audience that those tokens must have: this server's own address, such as https://mcp.example.com/mcp",
    z.string().min(1).optional(),
  ),
  oauthScopeClaim: setting(
    'claim',
    'Claim of those tokens that has their scopes, or the path to it, such as resource_access.academy.roles (default: scope, scp or permissions)',
    z.string().min(1).optional(),
  ),
  webhookSecret: secret(
    'Secret in the webhook addresses of academy-mcp http, 32 to 128 letters, digits, - or _. With it, the server receives the events of the academy. Set two, separated by a comma, to replace one without losing events',
    values.webhookSecrets.default([]),
  ),
  webhookSources: setting(
    'addresses',
    'IP addresses and networks that may post events, separated by commas, such as 203.0.113.0/24 (default: any)',
    values.addressList.default([]),
  ),
  trustedProxies: setting(
    'addresses',
    'IP addresses and networks of your own proxies. Only what they write into X-Forwarded-For tells who posts an event',
    values.addressList.default([]),
  ),
  eventsFile: setting(
    'file',
    'File that keeps received events. It has names and emails of students, and several processes can share it (default: events are kept in memory)',
    z.string().optional(),
  ),
  logLevel: setting(
    'level',
    'Lowest level to log to standard error: trace, debug, info, warn, error, fatal or silent',
    values.oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('warn'),
  ),
} satisfies Record<string, Omit<Setting, 'env' | 'flag'> & { readonly hasFlag: boolean }>;

export type SettingName = keyof typeof table;

function named<Name extends SettingName>(name: Name) {
  const { hasFlag, ...entry } = { ...table[name] };
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter}`);
  // LOG_LEVEL is the name in many programs.
  const prefix = name === 'logLevel' ? '' : 'ACADEMY_';
  const flag = words.toLowerCase().replaceAll('_', '-');
  const short = 'command' in entry ? flag.replace('http-', '') : flag;
  return { ...entry, env: prefix + words.toUpperCase(), flag: hasFlag ? short : undefined };
}

const names = Object.keys(table) as SettingName[];

export const settings = Object.fromEntries(names.map((name) => [name, named(name)])) as {
  readonly [Name in SettingName]: Setting & Pick<(typeof table)[Name], 'schema'>;
};

export const settingEntries = names.map((name) => [name, settings[name]] as const);

export const isSecret = ({ flag }: Setting) => flag === undefined;

/** The variable that names a file with the value of a secret. Undefined for other settings. */
export const fileVariableOf = (one: Setting) => (isSecret(one) ? `${one.env}_FILE` : undefined);
