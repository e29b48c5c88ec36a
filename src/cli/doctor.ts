import { accessSync, closeSync, constants, statSync } from 'node:fs';
import { Command } from 'commander';
import type { Accounts } from '../accounts/load-accounts.ts';
import { journalInFile } from '../api/writes/journal.ts';
import { accountsFileFields, withFieldNames } from '../config/field-names.ts';
import { type Config, secretsOf } from '../config/load.ts';
import { isSecret, settingEntries, settings } from '../config/settings.ts';
import { defaultAccount, webhookPaths } from '../events/webhooks.ts';
import { errorText } from '../mcp/output/error-text.ts';
import { createRedactor } from '../mcp/output/redact.ts';
import { checkMirrorFile, mirrorFileOf } from '../mirror/file/mirror-file.ts';
import { createDocumentReader, failureReason, findMetadata } from '../server/http/auth/issuer.ts';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError, SettingsError } from '../shared/errors.ts';
import { isLoopback } from '../shared/loopback.ts';
import { openPrivateFile } from '../shared/private-file.ts';
import { compact } from '../shared/quote-text.ts';
import { openSegmentedFile } from '../shared/segmented-file.ts';
import { didYouMean } from '../shared/similar-words.ts';
import { addSettingFlags, type CommandContext, readSettingFlags, UsageError } from './command-context.ts';
import { checkRedis } from './dependencies.ts';
import { type OpenAcademy, openAcademy } from './open-academy.ts';
import { eventsFileSettingOf } from './open-events.ts';
import { accountLines, openSession, readAccount, readPlatform } from './read-platform.ts';

async function checkIssuer({ oauthIssuer }: Config): Promise<void> {
  if (oauthIssuer === undefined) return;
  try {
    await findMetadata(oauthIssuer, createDocumentReader());
  } catch (error) {
    throw new SettingsError(`the OAuth issuer ${oauthIssuer} cannot be used: ${failureReason(error)}`);
  }
}

/** `rights`: those that the server needs, as in `constants` of `node:fs`. */
async function checkFolder(env: string, folder: string | undefined, rights: number): Promise<void> {
  if (folder === undefined) return;
  try {
    if (!statSync(folder).isDirectory()) throw new Error('not a folder');
    accessSync(folder, rights);
  } catch {
    const hint = 'Create the folder, or correct the path or its rights.';
    throw new SettingsError(`${env} names no folder, or one without the needed rights`, hint);
  }
}

/** Opens the files as the server does it, which creates missing ones. */
function fileChecks({ auditLog, journal, mirror, eventsFile }: Config, account?: string) {
  const mirrorFile = mirrorFileOf(mirror, account);
  return [
    async () => auditLog && closeSync(openPrivateFile(auditLog, 'ACADEMY_AUDIT_LOG')),
    async () => journal !== 'off' && journal !== 'memory' && journalInFile(journal).close(),
    async () => mirrorFile && checkMirrorFile(mirrorFile),
    async () => eventsFile && (await openSegmentedFile(eventsFile, eventsFileSettingOf(account)).close()),
  ];
}

async function settingsLines(config: Config, account: string | undefined): Promise<string[]> {
  const results = await Promise.allSettled([
    ...fileChecks(config, account).map((check) => check()),
    checkFolder(settings.exportDir.env, config.exportDir, constants.W_OK),
    checkFolder(settings.importDir.env, config.importDir, constants.R_OK),
    checkRedis(config),
    checkIssuer(config),
  ]);
  const problems = results.flatMap((result) => (result.status === 'rejected' ? result.reason : []));
  const values = settingEntries.flatMap(([name, setting]) => {
    const text = isSecret(setting) ? undefined : JSON.stringify(config[name]);
    return text === undefined ? [] : `    ${setting.env}: ${text}`;
  });
  return [
    'ok  The settings are complete',
    ...values,
    ...problems.map((error: unknown) => {
      if (!(error instanceof SettingsError)) throw error;
      return `NO  ${oneLine(error.message, 500)}${error.hint === undefined ? '' : `. ${error.hint}`}`;
    }),
  ];
}

/** The address of the server as the platform sees it, as far as the settings say. */
function publicOrigin({ oauthAudience = '', httpAllowedHosts, httpHost, httpPort }: Config): string {
  if (URL.canParse(oauthAudience) && /^https?:$/.test(new URL(oauthAudience).protocol))
    return new URL(oauthAudience).origin;
  const [host = `${httpHost.includes(':') ? `[${httpHost}]` : httpHost}:${httpPort}`] = httpAllowedHosts ?? [];
  const isLocal = httpAllowedHosts === undefined || isLoopback(new URL(`http://${host}`));
  return `${isLocal ? 'http' : 'https'}://${host}`;
}

type Checked = Pick<Accounts['list'][number], 'config'> & { readonly name?: string };

function secretWebhookLines(accounts: readonly Checked[], config: Config): string[] {
  const lines = accounts.flatMap(({ name, config: { webhookSecret } }) => {
    const [secret] = webhookSecret;
    if (secret === undefined) return [];
    const paths = webhookPaths(name ?? defaultAccount, secret);
    const addresses = paths.map(({ event, path }) => `  ${event.padEnd(18)} ${publicOrigin(config)}${path}`);
    return name === undefined ? addresses : [`Account ${name}`, ...addresses];
  });
  if (lines.length === 0) {
    const more = accounts[0]?.name === undefined ? '' : ', or name a secret in webhook_secret_env of an account';
    const hint = `Set it to 32 to 128 letters, digits, - or _${more}.`;
    throw new SettingsError('ACADEMY_WEBHOOK_SECRET is not set', hint);
  }
  return compact([
    'Keep these addresses secret: anyone who has one can send events to your server.',
    'Paste each into Account Settings, Integrations, Webhooks, for the event that it names:',
    ...lines,
    isLoopback(new URL(publicOrigin(config))) &&
      'The platform cannot reach an address on this machine. Use the public address of your proxy instead.',
  ]);
}

const help = `
Prints what is wrong or differs; --verbose prints every check. Reads the account, one page of orders, one course with
its structure and one student, and compares them with the API document. Checks the files, Redis and the OAuth issuer of
the settings, too. Sends at most 7 requests (plus retries), changes nothing, and prints no student data. With an accounts
file it checks one account after the other, or the one of --account.

Exit code: 0 the academy can be used, 1 a problem with a setting, a file, Redis, the issuer or the academy, 2 wrong usage.`;

async function examine(config: Config, context: CommandContext) {
  const session = openSession(config, context);
  try {
    const account = await readAccount(session);
    const { lines, failed } = await readPlatform(session, account);
    const problems = failed.length === 0 ? [] : [`could not be read: ${failed.join(', ')}`];
    const end = `ok  ${session.requests()} requests sent, nothing changed`;
    return { lines: [...accountLines(account), ...lines, end], problems };
  } catch (error) {
    if (!(error instanceof AcademyError) || error.code === 'cancelled') throw error;
    // Without an account, the other requests would be pointless.
    const lines = [`NO  ${errorText(error).replaceAll('\n', '\n    ')}`];
    return { lines, problems: ['the account cannot be used with these settings'] };
  } finally {
    await session.api.close();
  }
}

async function checkAccount({ name, config }: Checked, context: CommandContext, isVerbose: boolean): Promise<string> {
  const redact = createRedactor(secretsOf(config));
  const print = (lines: readonly string[]) => {
    const shown = lines.filter((line) => isVerbose || /^(!|NO|ok {2}(The API answers|\d+ requests))/.test(line));
    const text = redact(shown.map((line) => `${line}\n`).join(''));
    context.stdout.write(name === undefined ? text : withFieldNames(text, accountsFileFields));
  };
  const settings = await settingsLines(config, name);
  print(settings);
  const { lines, problems } = await examine(config, context);
  print(lines);
  const local = settings.filter((line) => line.startsWith('NO')).map((line) => line.replace(/^NO +/, ''));
  return redact([...local, ...problems].join('; '));
}

/** The accounts to check: all, or the one with this name. Throws `UsageError` for an unknown name. */
function accountsToCheck({ accounts, config }: OpenAcademy, name: unknown): readonly Checked[] {
  const command = 'academy-mcp doctor';
  if (accounts === undefined && name !== undefined)
    throw new UsageError('--account needs ACADEMY_ACCOUNTS_FILE', command);
  const all = accounts?.list ?? [{ config }];
  const chosen = all.filter((account: Checked) => name === undefined || account.name === name);
  if (chosen.length > 0) return chosen;
  const names = (accounts?.list ?? []).map((account) => account.name);
  const known = `${didYouMean(String(name), names) || '.'} The accounts are ${names.join(', ')}`;
  throw new UsageError(`the accounts file has no account ${name}${known}`, command);
}

/** Checks one account after the other: the problems of one do not keep the others from being checked. */
async function checkAccounts(accounts: readonly Checked[], context: CommandContext, isVerbose: boolean): Promise<void> {
  const found: string[] = [];
  for (const [index, account] of accounts.entries()) {
    const { name } = account;
    if (name !== undefined) context.stdout.write(`${index === 0 ? '' : '\n'}Account ${name}\n`);
    const problems = await checkAccount(account, context, isVerbose);
    if (problems !== '') found.push(name === undefined ? problems : `${name}: ${problems}`);
  }
  if (found.length > 0) throw new Error(found.join('; '));
}

export function createCommand(context: CommandContext): Command {
  const command = new Command('doctor')
    .option('--sandbox', 'check an embedded academy with made-up data instead of a real one')
    .option('--account <name>', 'check one account of the accounts file instead of all')
    .option('--verbose', 'print every check, and not only what is wrong or differs')
    .option('--webhook-urls', 'only print the webhook addresses with their secret, and send no request')
    .addHelpText('after', help);
  return addSettingFlags(command).action(async (options: Record<string, unknown>) => {
    const sources = { flags: readSettingFlags(options), environment: context.environment };
    const academy = await openAcademy(sources, options.sandbox === true);
    try {
      const accounts = accountsToCheck(academy, options.account);
      if (options.webhookUrls === true)
        context.stdout.write(`${secretWebhookLines(accounts, academy.config).join('\n')}\n`);
      else await checkAccounts(accounts, context, options.verbose === true);
    } finally {
      await academy.close();
    }
  });
}
