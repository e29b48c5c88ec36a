import { dataTools, eventTools, journalTools, tools } from '../../../tools/index.ts';
import type { Account } from '../../accounts/accounts.ts';
import type { PlatformReport } from '../../api/platform.ts';
import { openAppendOnlyFile } from '../../api/writes/audit-log.ts';
import type { Config } from '../../config/load.ts';
import { eventsFileSetting } from '../../events/event-feed.ts';
import { defaultAccount, webhookPaths } from '../../events/webhooks.ts';
import { filterTools } from '../../mcp/filter-tools.ts';
import { accountFileOf } from '../../mirror/file/mirror-file.ts';
import { createIssuerFetch, failureReason, findMetadata } from '../../server/http/auth/oauth-discovery.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { SettingsError } from '../../shared/errors.ts';
import { isLoopback } from '../../shared/loopback.ts';
import { openSegmentedFile } from '../../shared/segmented-file.ts';
import { checkExportFolder, checkMirror, checkRedis } from '../dependencies.ts';
import { eventsFileSettingOf } from '../open-events.ts';

// Lines about what the settings name on this machine and beside the academy. Problems begin with NO.

/** One line if the check passes, or the problem. */
async function lineOf(passed: string, check: () => unknown): Promise<string> {
  try {
    await check();
    return passed;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return `NO  ${oneLine(error.message, 500)}${error.hint === undefined ? '' : `. ${error.hint}`}`;
  }
}

/** Throws `SettingsError` if the issuer publishes no metadata that can be used. */
async function checkIssuer(issuer: string): Promise<void> {
  try {
    await findMetadata(issuer, createIssuerFetch());
  } catch (error) {
    throw new SettingsError(`the OAuth issuer ${issuer} cannot be used: ${failureReason(error).problem}`);
  }
}

/** Line with the time zone of days and weeks, and its current time. */
function zoneLine(timezone: string, now: Date): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, dateStyle: 'medium', timeStyle: 'short' });
  const source = timezone === 'UTC' ? ' (default; set ACADEMY_TIMEZONE to change it)' : '';
  return `  time zone    ${timezone}${source}, now ${time.format(now)}`;
}

function valueLines(config: Config): string[] {
  const { baseUrl, authScheme, rateLimit, rateShare, readOnly, toolsets, confirm, timezone } = config;
  const all = [...tools, ...eventTools, ...journalTools, ...dataTools];
  const hasEvents = config.eventsFile !== undefined || config.webhookSecret.length > 0;
  const enabled = filterTools(all, { ...config, hasEvents }).length;
  const chosen = `${readOnly ? ', read-only' : ''}${toolsets === undefined ? '' : `, of ${toolsets.join(', ')}`}`;
  return [
    `  address      ${baseUrl.href}`,
    `  key          set, sent as ${authScheme === 'token' ? 'Token token=…' : 'Bearer …'}`,
    `  rate limit   ${rateLimit}, ${Math.round(rateShare * 100)}% of it used`,
    `  tools        ${enabled} of ${all.length}${chosen}`,
    `  confirm      ${confirm}`,
    zoneLine(timezone, new Date()),
  ];
}

/** The events file is opened as the server does it, which creates a missing file. */
async function eventsLine({ eventsFile }: Config, account: string | undefined): Promise<string> {
  if (eventsFile === undefined)
    return '  events       kept in memory: they are lost when the server ends (set ACADEMY_EVENTS_FILE to keep them)';
  const setting = account === undefined ? eventsFileSetting : eventsFileSettingOf(account);
  const name = account === undefined ? eventsFileSetting : eventsFile;
  const line = `  events       kept in ${name}, which is writable`;
  return await lineOf(line, () => openSegmentedFile(eventsFile, setting).close());
}

/** The address of the server as the platform sees it, as far as the settings say. */
function publicOrigin({ oauthAudience = '', httpAllowedHosts, httpHost, httpPort }: Config): string {
  if (URL.canParse(oauthAudience) && /^https?:$/.test(new URL(oauthAudience).protocol)) {
    return new URL(oauthAudience).origin;
  }
  const [host = `${httpHost.includes(':') ? `[${httpHost}]` : httpHost}:${httpPort}`] = httpAllowedHosts ?? [];
  const isLocal = httpAllowedHosts === undefined || isLoopback(new URL(`http://${host}`));
  return `${isLocal ? 'http' : 'https'}://${host}`;
}

const unreachable =
  'The platform cannot reach an address on this machine. Use the public address of your proxy instead.';

async function webhookLines(config: Config, account: string | undefined): Promise<string[]> {
  if (config.webhookSecret.length === 0) {
    const setting = account === undefined ? 'ACADEMY_WEBHOOK_SECRET' : 'webhook_secret_env or ACADEMY_WEBHOOK_SECRET';
    const line = `  webhooks     not set: the server receives no events (set ${setting})`;
    return config.eventsFile === undefined ? [line] : [line, await eventsLine(config, account)];
  }
  const origin = publicOrigin(config);
  const paths = webhookPaths(
    account ?? defaultAccount,
    account === undefined ? '<ACADEMY_WEBHOOK_SECRET>' : '<secret>',
  );
  const more = [
    ...paths.map(({ path }) => `${origin}${path}`),
    'academy-mcp doctor --webhook-urls prints them with the secret.',
    ...(isLoopback(new URL(origin)) ? [unreachable] : []),
  ];
  return [
    '  webhooks     received by academy-mcp http. The addresses for Account Settings, Integrations, Webhooks:',
    ...more.map((line) => `               ${line}`),
    await eventsLine(config, account),
  ];
}

/** Lines about the settings of an account of an accounts file, or of the only one. */
export async function settingsLines(config: Config, account: string | undefined): Promise<string[]> {
  const { auditLog, mirror, exportDir, redisUrl, oauthIssuer } = config;
  const copy =
    account === undefined || mirror === 'off' || mirror === 'memory' ? mirror : accountFileOf(mirror, account);
  const copyWords = mirror === 'off' ? 'off' : mirror === 'memory' ? 'in memory' : 'in a file';
  return [
    'ok  The settings are complete',
    ...valueLines(config),
    auditLog === undefined
      ? '  audit log    not set: writes are not recorded'
      : await lineOf('  audit log    writable', () => openAppendOnlyFile(auditLog).close()),
    await lineOf(`  copy         ${copyWords}`, () => checkMirror({ mirror: copy })),
    ...(exportDir === undefined ? [] : [await lineOf('  exports      into a folder', () => checkExportFolder(config))]),
    ...(redisUrl === undefined ? [] : [await lineOf('  Redis        answers', () => checkRedis(config))]),
    ...(oauthIssuer === undefined
      ? []
      : [await lineOf('  OAuth        the issuer answers', () => checkIssuer(oauthIssuer))]),
    ...(await webhookLines(config, account)),
  ];
}

function clockText(difference: number | undefined): string {
  if (difference === undefined) return 'the server sends no time';
  const seconds = Math.abs(difference / 1000).toFixed(1);
  return `the server is ${seconds} s ${difference < 0 ? 'behind' : 'ahead'}`;
}

/** Lines with the version and the clock of the platform. */
export function platformLines({ apiVersion, clockDifferenceMs }: PlatformReport): string[] {
  return [
    `  API version  ${apiVersion ? oneLine(apiVersion, 40) : 'not shown'}`,
    `  clock        ${clockText(clockDifferenceMs)}`,
  ];
}

function addressLines(config: Config, account: string): string[] {
  const [secret] = config.webhookSecret;
  const paths = secret === undefined ? [] : webhookPaths(account, secret);
  return paths.map(({ event, path }) => `  ${event.padEnd(18)} ${publicOrigin(config)}${path}`);
}

/** The addresses with the secret, for a person to paste. `accounts`: those of an accounts file to show. */
export function secretWebhookLines(config: Config, accounts?: readonly Account[]): string[] {
  const lines =
    accounts?.flatMap(({ name, config: own }) => {
      const addresses = addressLines(own, name);
      return addresses.length === 0 ? [] : [`Account ${name}`, ...addresses];
    }) ?? addressLines(config, defaultAccount);
  if (lines.length === 0) {
    const more = accounts === undefined ? '' : ', or name a secret in webhook_secret_env of an account';
    const hint = `Set it to 32 to 128 letters, digits, - or _${more}.`;
    throw new SettingsError('ACADEMY_WEBHOOK_SECRET is not set', hint);
  }
  return [
    'Keep these addresses secret: anyone who has one can send events to your server.',
    'Paste each into Account Settings, Integrations, Webhooks, for the event that it names:',
    ...lines,
    ...(isLoopback(new URL(publicOrigin(config))) ? [unreachable] : []),
  ];
}
