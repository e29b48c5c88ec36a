import * as z from 'zod';
import { isTimeZone } from '../insights/period.ts';
import { type Toolset, toolsets } from '../mcp/principal.ts';
import { isEncryptedOrLocal, isLoopback, isLoopbackHost } from '../shared/loopback.ts';
import { didYouMean } from '../shared/similar-words.ts';

// Each schema reads the text of a setting. A message continues the sentence that starts with the setting's name.

function baseUrlProblem(url: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://';
  if (url.protocol === 'http:' && !isLoopback(url)) return 'must be https (http is allowed only on this machine)';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.search !== '' || url.hash !== '') return 'must not contain a query or a fragment';
  return /\/api(\/v1)?\/?$/.test(url.pathname) ? 'must not end in /api or /api/v1' : undefined;
}

/** Browsers show an address without its scheme, and people copy it like that. A word alone is no address. */
function withScheme(text: string): string {
  if (/^[a-z]+:\/\//i.test(text)) return text;
  const host = text.replace(/[/?#].*$/s, '').replace(/:\d+$/, '');
  if (isLoopbackHost(host)) return `http://${text}`;
  return /^[^\s@:]+\.[^\s@:]+$/.test(host) ? `https://${text}` : text;
}

const urlIn = (text: string) => (URL.canParse(text) ? new URL(text) : undefined);

export const baseUrl = z.string().transform((text, context) => {
  const url = urlIn(withScheme(text));
  const problem = url === undefined ? 'must be a URL such as https://academy.example.com' : baseUrlProblem(url);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  return url ?? z.NEVER;
});

export const apiKey = z.string().regex(/^[\x21-\x7E]+$/, 'must be only the key, without spaces or quotes');

export function wholeNumber(minimum: number, maximum: number, unit?: string) {
  const message = `must be a whole number${unit === undefined ? '' : ` of ${unit}`} from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, message);
}

export const fraction = z
  .string()
  .regex(/^(0?\.\d+|1(\.0+)?)$/, 'must be above 0 and at most 1')
  .transform(Number)
  .refine((value) => value > 0, 'must be above 0 and at most 1');

/** A positive whole number. Its caller supplies the message, since a word is allowed as well. */
const count = z
  .string()
  .regex(/^[1-9]\d{0,6}$/)
  .transform(Number);

export const callerLimit = z.union([z.literal('off'), count], 'must be off or a whole number of requests a minute');

export const apiLimit = z.union(
  [z.literal('auto'), z.literal('off'), count],
  'must be auto, off or a whole number of requests a minute',
);

/** The characters of a bearer token (RFC 6750, section 2.1), at least 24 of them. */
const tokenShape = /^[A-Za-z0-9\-._~+/]{24,}=*$/;
const tokenCharacters = 'using only letters, digits and -._~+/=';

export const token = z.string().regex(tokenShape, `must have at least 24 characters, ${tokenCharacters}`);

function commaList(isPart: (text: string) => boolean, message: string) {
  return z
    .string()
    .transform((text) => text.split(',').map((each) => each.trim()))
    .refine((parts) => parts.every(isPart), message);
}

/** A token with the name of its caller, as in `anna=…`. Tokens end with `=` at most, so what follows a name is more than that. */
const namedToken = /^([a-z0-9-]{1,32})=(?!=*$)(.{24,})$/;

export interface CallerToken {
  readonly token: string;
  /** What the audit log, the log and the metrics call its caller. */
  readonly name?: string | undefined;
  /** The accounts of an accounts file that it opens. Undefined: all. */
  readonly accounts?: readonly string[] | undefined;
}

function callerToken(text: string): CallerToken {
  const [, name, value] = namedToken.exec(text) ?? [];
  return name === undefined || value === undefined ? { token: text } : { name, token: value };
}

/** Two tokens may have one name: that of a caller whose token is being replaced. */
export const tokenList = commaList(
  (text) => tokenShape.test(callerToken(text).token),
  `must be tokens of at least 24 characters each, ${tokenCharacters}, separated by commas, each with or without a name as in anna=TOKEN`,
).transform((texts) => texts.map(callerToken));

/** At least 128 bits, even in hexadecimal digits. The characters need no encoding in a URL. */
const webhookSecretShape = /^[A-Za-z0-9_-]{32,128}$/;

export const webhookSecrets = commaList(
  (text) => webhookSecretShape.test(text),
  'must be one or two secrets of 32 to 128 letters, digits, - or _, separated by a comma (openssl rand -hex 32 makes one)',
).refine(({ length }) => length <= 2, 'must have at most two secrets: the new one and the old one');

/** IP addresses and networks in CIDR notation (RFC 4632). Their schemas are made when they are needed, to keep the start small. */
export const addressList = commaList(
  (text) => z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).safeParse(text).success,
  'must be IP addresses or networks, such as 203.0.113.7,10.0.0.0/8',
);

export const hostList = commaList(
  (text) => /^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/.test(text),
  'must be host names in lower case, such as mcp.example.com or 10.0.0.5:3000',
);

export const originList = commaList(
  (text) => /^https?:\/\/[a-z0-9.:[\]-]+$/.test(text),
  'must be origins in lower case, such as https://app.example.com',
);

/** RFC 8414, section 2. Tokens are compared with it character by character, so the text is kept as it is. */
export const issuer = z.string().refine((text) => {
  const url = urlIn(text);
  return url !== undefined && isEncryptedOrLocal(url) && url.search === '' && url.hash === '' && url.username === '';
}, 'must be an https URL without query or fragment');

/** The address may hold a password, so it is not repeated. */
export const redisUrl = z.string().refine((text) => {
  const url = urlIn(text);
  return url !== undefined && ['redis:', 'rediss:'].includes(url.protocol) && url.hostname !== '';
}, 'must be a URL such as redis://redis:6379/0 or rediss://redis.example.com');

export const trueOrFalse = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

export const onOrOff = z.enum(['on', 'off'], 'must be on or off').transform((text) => text === 'on');

export const toolsetList = z.string().transform((text, context) => {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(toolsets as readonly string[]).includes(name));
  if (unknown.length > 0) {
    // Anything but a plain word is not repeated: it may be the key, set in the wrong variable.
    const quoted = unknown.map((name) => (/^[a-z_]{1,20}$/i.test(name) ? `"${name}"` : 'an unknown name'));
    const message = `must contain only toolsets, not ${quoted.join(', ')}; the toolsets are ${toolsets.join(', ')}${didYouMean(unknown[0] ?? '', toolsets)}`;
    context.addIssue({ code: 'custom', message });
  }
  return names as Toolset[];
});

/** An IANA name. Intl accepts other names of the same zones too; they are not suggested. */
export const timeZone = z.string().refine(isTimeZone, {
  error: ({ input }) =>
    `must be an IANA time zone such as UTC or Europe/Lisbon${didYouMean(String(input), Intl.supportedValuesOf('timeZone'))}`,
});

/** `off`, `memory` or a path. A path has a dot or a separator, so that a misspelled word is not taken for one. */
const placeOf = (file: string) =>
  z
    .string()
    .refine(
      (text) => text === 'off' || text === 'memory' || /[./\\]/.test(text),
      `must be off, memory or the path of a file, such as /var/lib/academy/${file}`,
    );

export const mirrorPlace = placeOf('mirror.db');
export const journalPlace = placeOf('journal.jsonl');

export const port = wholeNumber(0, 65_535);

/** An address or a host name. `%` is for the zone of an IPv6 address. */
export const listenAddress = z
  .string()
  .regex(/^[A-Za-z0-9.:%_-]+$/, 'must be an address or a host name, such as 127.0.0.1 or 0.0.0.0');

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, {
    error: ({ input }) => `must be one of ${values.join(', ')}${didYouMean(String(input), values)}`,
  });
}
