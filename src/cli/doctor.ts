import { readdirSync, statSync } from 'node:fs';
import { Command } from 'commander';
import { dataTools, eventTools, journalTools, tools } from '../../tools/index.ts';
import { type Account, openAccounts } from '../accounts/several-accounts.ts';
import type { PlatformReport } from '../api/platform.ts';
import { openAppendOnlyFile } from '../api/writes/audit-log.ts';
import { journalInFile } from '../api/writes/journal.ts';
import { didYouMean } from '../config/closest-match.ts';
import { accountsFileFields, withFieldNames } from '../config/field-names.ts';
import { type Config, secretsOf } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import { eventsFileSetting } from '../events/event-feed.ts';
import { defaultAccount, webhookPaths } from '../events/webhooks.ts';
import { filterTools } from '../mcp/listing.ts';
import { errorText } from '../mcp/output/error-text.ts';
import { createRedactor } from '../mcp/output/redact.ts';
import { counted } from '../mcp/output/text-format.ts';
import { accountFileOf } from '../mirror/file/mirror-file.ts';
import { createIssuerFetch, failureReason, findMetadata } from '../server/http/auth/oauth-discovery.ts';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError, SettingsError } from '../shared/errors.ts';
import { isLoopback } from '../shared/loopback.ts';
import { openSegmentedFile } from '../shared/segmented-file.ts';
import { addSettingFlags, type CommandContext, readSettingFlags, UsageError } from './command-context.ts';
import { checkExportFolder, checkMirror, checkRedis } from './dependencies.ts';
import { assumptions } from './doctor/assumptions.ts';
import { accountLines, openSession, type PlatformData, readAccount, readPlatform } from './doctor/read-platform.ts';
import { type OpenAcademy, openAcademy } from './open-academy.ts';
import { eventsFileSettingOf } from './open-events.ts';

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
async function settingsLines(config: Config, account: string | undefined): Promise<string[]> {
  const rows = rowsOf(config, account).filter(({ when = true }) => when);
  return ['ok  The settings are complete', ...(await Promise.all(rows.map(lineOf)))];
}

function clockText(difference: number | undefined): string {
  if (difference === undefined) return 'the server sends no time';
  const seconds = Math.abs(difference / 1000).toFixed(1);
  return `the server is ${seconds} s ${difference < 0 ? 'behind' : 'ahead'}`;
}

/** Lines with the version and the clock of the platform. */
function platformLines({ apiVersion, clockDifferenceMs }: PlatformReport): string[] {
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
function secretWebhookLines(config: Config, accounts?: readonly Account[]): string[] {
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

/** Doctor has found and reported a problem. */
class DoctorFoundProblems extends Error {}

const help = `
Prints what is wrong or differs; --verbose prints every check. Reads the account, one page of orders, one course with
its structure and one student, and compares them with the API document. For each assumption of the program it says
whether it holds here and, if not, the impact. Checks the files, Redis and the OAuth issuer of the settings, too.
Sends at most 7 requests (plus retries), changes nothing, and prints no student data. With an accounts file it checks
one account after the other, or the one of --account.

Exit code: 0 the academy can be used, 1 a problem with a setting, a file, Redis, the issuer or the academy, 2 wrong usage.`;

/** Removes Markdown, which only the document needs. */
const plain = (text: string) => text.replaceAll('`', '');

/** Checks every assumption: which hold, which do not with their impact, and which could not be checked. */
function checkAssumptions(data: PlatformData): { lines: string[]; summary: string } {
  const lines: string[] = [];
  const unchecked: string[] = [];
  let differing = 0;
  for (const [id, [statement, impact, check]] of Object.entries(assumptions)) {
    const found = check(data);
    const title = `${id}: ${plain(statement)}`;
    if (found === undefined) unchecked.push(id);
    else if (found.length === 0) lines.push(`ok  ${title}`);
    else {
      differing += 1;
      const details = found.map((one) => `      found: ${one}. Impact: ${plain(impact)}.`);
      lines.push([`!   ${title}`, ...details].join('\n'));
    }
  }
  if (unchecked.length > 0) lines.push(`-   Nothing to check for: ${unchecked.join(', ')}`);
  const holding = Object.keys(assumptions).length - differing - unchecked.length;
  const summary = `${differing === 0 ? 'ok  ' : '!   '}${holding} assumptions hold, ${differing} do not, ${unchecked.length} have nothing to check (docs/internals/api-assumptions.md)`;
  return { lines, summary };
}

/** Lines of the report. The first characters of a line say what it is: ok, ! for a difference, NO for a problem, - for nothing. */
type Write = (lines: readonly string[], isShown?: (line: string) => boolean) => void;

const isProblem = (line: string) => line.startsWith('NO');

/** Returns the problems found, each in a few words. */
async function examine(config: Config, context: CommandContext, write: Write): Promise<string[]> {
  const session = openSession(config, context);
  try {
    const account = await readAccount(session);
    const [name = '', ...rights] = accountLines(account);
    write([name], () => true);
    write(rights);
    const { lines, failed, data } = await readPlatform(session, account);
    const report = checkAssumptions(data);
    write([...platformLines(data.platform), ...lines, ...report.lines]);
    write([report.summary, `ok  ${session.requests()} requests sent, nothing changed`], () => true);
    return failed.length === 0 ? [] : [`could not be read: ${failed.join(', ')}`];
  } catch (error) {
    if (!(error instanceof AcademyError) || error.code === 'cancelled') throw error;
    // Without an account, the other requests would be pointless.
    write([`NO  ${errorText(error).replaceAll('\n', '\n    ')}`]);
    return ['the account cannot be used with these settings'];
  } finally {
    await session.api.close();
  }
}

interface Check {
  readonly context: CommandContext;
  readonly isVerbose: boolean;
}

/** Checks an account, by its name in the accounts file, or the only one. Throws `DoctorFoundProblems`. */
async function checkAccount(config: Config, { context, isVerbose }: Check, name?: string): Promise<void> {
  const redact = createRedactor(secretsOf(config));
  const write: Write = (lines, isShown = (line) => isVerbose || /^(!|NO)/.test(line)) => {
    const shown = redact(lines.filter(isShown)).map((line) => `${line}\n`);
    const text = shown.join('');
    context.stdout.write(name === undefined ? text : withFieldNames(text, accountsFileFields));
  };
  const settings = await settingsLines(config, name);
  write(settings);
  const local = settings.filter(isProblem).map((line) => line.replace(/^NO +/, ''));
  const problems = [...local, ...(await examine(config, context, write))];
  if (problems.length > 0) throw new DoctorFoundProblems(redact(problems.join('; ')));
}

/** The accounts to check, by their names in the accounts file. Throws `UsageError` for an unknown name. */
function accountsToCheck({ accounts }: OpenAcademy, name: string | undefined): Account[] {
  const command = 'academy-mcp doctor';
  if (accounts === undefined) throw new UsageError('--account needs ACADEMY_ACCOUNTS_FILE', command);
  const chosen = openAccounts(accounts, name === undefined ? undefined : [name]);
  if (chosen.length > 0) return chosen;
  const names = accounts.list.map((account) => account.name);
  const known = `${didYouMean(name ?? '', names) || '.'} The accounts are ${names.join(', ')}`;
  throw new UsageError(`the accounts file has no account ${name}${known}`, command);
}

/** Checks one account after the other: the problems of one do not keep the others from being checked. */
async function checkAccounts(accounts: readonly Account[], check: Check): Promise<void> {
  const problems: string[] = [];
  for (const [index, { name, config }] of accounts.entries()) {
    check.context.stdout.write(`${index === 0 ? '' : '\n'}Account ${name}\n`);
    await checkAccount(config, check, name).catch((error: unknown) => {
      if (!(error instanceof DoctorFoundProblems)) throw error;
      problems.push(`${name}: ${error.message}`);
    });
  }
  if (problems.length > 0) throw new DoctorFoundProblems(problems.join('; '));
}

/**
 * `academy-mcp doctor`: checks that the address serves this API and which assumptions hold on this platform. Changes
 * nothing. `before` are the flags before the command's name; flags after it win.
 */
export function doctorCommand(context: CommandContext, before: Flags): Command {
  const command = new Command('doctor')
    .option('--sandbox', 'check an embedded academy with made-up data instead of a real one')
    .option('--account <name>', 'check one account of the accounts file instead of all')
    .option('--verbose', 'print every check, and not only what is wrong or differs')
    .option('--webhook-urls', 'only print the webhook addresses with their secret, and send no request')
    .addHelpText('after', help);
  return addSettingFlags(command).action(async (options: Record<string, unknown>) => {
    const flags = { ...before, ...readSettingFlags(options) };
    const academy = await openAcademy({ flags, environment: context.environment }, options.sandbox === true);
    const name = typeof options.account === 'string' ? options.account : undefined;
    const check = { context, isVerbose: options.verbose === true };
    try {
      const isOne = academy.accounts === undefined && name === undefined;
      const accounts = isOne ? undefined : accountsToCheck(academy, name);
      if (options.webhookUrls === true) {
        context.stdout.write(`${secretWebhookLines(academy.config, accounts).join('\n')}\n`);
      } else if (accounts === undefined) await checkAccount(academy.config, check);
      else await checkAccounts(accounts, check);
    } finally {
      await academy.close();
    }
  });
}
