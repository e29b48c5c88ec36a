import { readdirSync, statSync } from 'node:fs';
import { dataTools, eventTools, journalTools, tools } from '../../../tools/index.ts';
import type { Account } from '../../accounts/accounts.ts';
import type { PlatformReport } from '../../api/platform.ts';
import { openAppendOnlyFile } from '../../api/writes/audit-log.ts';
import { journalInFile } from '../../api/writes/journal-file.ts';
import type { Config } from '../../config/load.ts';
import { eventsFileSetting } from '../../events/event-feed.ts';
import { defaultAccount, webhookPaths } from '../../events/webhooks.ts';
import { filterTools } from '../../mcp/filter-tools.ts';
import { counted } from '../../mcp/output/text-format.ts';
import { accountFileOf } from '../../mirror/file/mirror-file.ts';
import { createIssuerFetch, failureReason, findMetadata } from '../../server/http/auth/oauth-discovery.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { SettingsError } from '../../shared/errors.ts';
import { isLoopback } from '../../shared/loopback.ts';
import { openSegmentedFile } from '../../shared/segmented-file.ts';
import { checkExportFolder, checkMirror, checkRedis } from '../dependencies.ts';
import { eventsFileSettingOf } from '../open-events.ts';

// What the settings say, and what they name on this machine and beside the academy.

/** One line of the report: a fact, or a check that throws `SettingsError` with what to do. */
interface Row {
  readonly name: string;
  /** Default: always. */
  readonly when?: boolean;
  run(): string | Promise<string>;
}

async function lineOf({ name, run }: Row): Promise<string> {
  try {
    return `  ${name.padEnd(12)} ${await run()}`;
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

/** The time zone of days and weeks, and its current time. */
function zoneText(timezone: string, now: Date): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, dateStyle: 'medium', timeStyle: 'short' });
  const source = timezone === 'UTC' ? ' (default; set ACADEMY_TIMEZONE to change it)' : '';
  return `${timezone}${source}, now ${time.format(now)}`;
}

function toolsText(config: Config): string {
  const { readOnly, toolsets, eventsFile, webhookSecret } = config;
  const all = [...tools, ...eventTools, ...journalTools, ...dataTools];
  const hasEvents = eventsFile !== undefined || webhookSecret.length > 0;
  const enabled = filterTools(all, { ...config, hasEvents }).length;
  const chosen = `${readOnly ? ', read-only' : ''}${toolsets === undefined ? '' : `, of ${toolsets.join(', ')}`}`;
  return `${enabled} of ${all.length}${chosen}`;
}

/** The events file is opened as the server does it, which creates a missing file. */
async function eventsText({ eventsFile }: Config, account: string | undefined): Promise<string> {
  if (eventsFile === undefined)
    return 'kept in memory: they are lost when the server ends (set ACADEMY_EVENTS_FILE to keep them)';
  await openSegmentedFile(eventsFile, account === undefined ? eventsFileSetting : eventsFileSettingOf(account)).close();
  return `kept in ${account === undefined ? eventsFileSetting : eventsFile}, which is writable`;
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

function webhooksText(config: Config, account: string | undefined): string {
  if (config.webhookSecret.length === 0) {
    const setting = account === undefined ? 'ACADEMY_WEBHOOK_SECRET' : 'webhook_secret_env or ACADEMY_WEBHOOK_SECRET';
    return `not set: the server receives no events (set ${setting})`;
  }
  const origin = publicOrigin(config);
  const far = isLoopback(new URL(origin)) ? `. ${unreachable}` : '';
  return `received by academy-mcp http at ${origin}; academy-mcp doctor --webhook-urls prints the addresses${far}`;
}

/** The journal is opened as the server does it, which creates a missing file. */
function journalText({ journal }: Config): string {
  if (journal === 'off') return 'off: changes can only be undone by hand (set ACADEMY_JOURNAL)';
  if (journal === 'memory') return 'in memory: what was changed is forgotten when the server ends';
  journalInFile(journal).close();
  return 'in a file, writable';
}

/** The folder is listed, since sync_roster names its files. */
function importsText(folder: string): string {
  try {
    const { length } = readdirSync(folder).filter((name) => !name.startsWith('.'));
    return `from a folder with ${counted(length, 'file')}`;
  } catch {
    const isOther = !statSync(folder, { throwIfNoEntry: false })?.isDirectory();
    const problem = isOther ? 'names no folder' : 'names a folder that cannot be read';
    throw new SettingsError(`ACADEMY_IMPORT_DIR ${problem}`, 'Create the folder, or correct the path or its rights.');
  }
}

function rowsOf(config: Config, account: string | undefined): readonly Row[] {
  const { auditLog, mirror, exportDir, importDir, redisUrl, oauthIssuer, authScheme, eventsFile, webhookSecret } =
    config;
  const inFile = mirror !== 'off' && mirror !== 'memory';
  return [
    { name: 'address', run: () => config.baseUrl.href },
    { name: 'key', run: () => `set, sent as ${authScheme === 'token' ? 'Token token=…' : 'Bearer …'}` },
    { name: 'rate limit', run: () => `${config.rateLimit}, ${Math.round(config.rateShare * 100)}% of it used` },
    { name: 'tools', run: () => toolsText(config) },
    { name: 'confirm', run: () => config.confirm },
    { name: 'time zone', run: () => zoneText(config.timezone, new Date()) },
    {
      name: 'audit log',
      run: () => {
        if (auditLog === undefined) return 'not set: writes are not recorded';
        openAppendOnlyFile(auditLog).close();
        return 'writable';
      },
    },
    { name: 'journal', run: () => journalText(config) },
    {
      name: 'copy',
      run: () => {
        checkMirror({ mirror: inFile && account !== undefined ? accountFileOf(mirror, account) : mirror });
        return inFile ? 'in a file' : mirror === 'off' ? 'off' : 'in memory';
      },
    },
    {
      name: 'exports',
      when: exportDir !== undefined,
      run: () => {
        checkExportFolder(config);
        return 'into a folder';
      },
    },
    { name: 'class lists', when: importDir !== undefined, run: () => importsText(importDir ?? '') },
    { name: 'Redis', when: redisUrl !== undefined, run: () => checkRedis(config).then(() => 'answers') },
    {
      name: 'OAuth',
      when: oauthIssuer !== undefined,
      run: () => checkIssuer(oauthIssuer ?? '').then(() => 'the issuer answers'),
    },
    { name: 'webhooks', run: () => webhooksText(config, account) },
    {
      name: 'events',
      when: webhookSecret.length > 0 || eventsFile !== undefined,
      run: () => eventsText(config, account),
    },
  ];
}

/** Lines about the settings of an account of an accounts file, or of the only one. Problems begin with NO. */
export async function settingsLines(config: Config, account: string | undefined): Promise<string[]> {
  const rows = rowsOf(config, account).filter(({ when = true }) => when);
  return ['ok  The settings are complete', ...(await Promise.all(rows.map(lineOf)))];
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
