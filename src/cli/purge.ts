import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Command } from 'commander';
import { plainName } from '../accounts/load-accounts.ts';
import { purgeJournal } from '../api/writes/journal.ts';
import { FlagError } from '../config/load.ts';
import { type Flags, findText, refuseUnknownVariables } from '../config/setting-sources.ts';
import { settings } from '../config/settings.ts';
import { isDateOrTime } from '../contract/schemas/input-fields.ts';
import { resolveMoment } from '../insights/period.ts';
import { accountFileOf, isMirrorFile, versionOf } from '../mirror/file/mirror-file.ts';
import { SettingsError } from '../shared/errors.ts';
import type { CommandContext } from './command-context.ts';
import { addSettingFlags, readSettingFlags } from './command-context.ts';

/** The file of a setting. The other settings, such as the key, are not needed to delete it. */
function fileOf(name: 'mirror' | 'journal', flags: Flags, { environment }: CommandContext): string {
  // An accounts file names further variables, which are not needed here.
  if (findText('accountsFile', settings.accountsFile, { flags, environment }).text === undefined) {
    refuseUnknownVariables(environment);
  }
  const { text = 'off', source } = findText(name, settings[name], { flags, environment });
  const place = settings[name].schema.safeParse(text);
  if (!place.success) {
    const WrongValue = source.startsWith('--') ? FlagError : SettingsError;
    throw new WrongValue(`${source} ${place.error.issues[0]?.message ?? 'is invalid'}`);
  }
  if (place.data !== 'off' && place.data !== 'memory') return place.data;
  throw new SettingsError(`${settings[name].env} names no file`, `Set it to the file, or pass --${name} FILE.`);
}

function parseAccount(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const account = plainName.safeParse(given);
  if (!account.success) throw new FlagError(`--account ${account.error.issues[0]?.message ?? 'is invalid'}`);
  return account.data;
}

/** What follows the name of a file in the names of others in its folder. */
function endingsOf(file: string): string[] {
  const own = basename(file);
  return readdirSync(dirname(file)).flatMap((name) => (name.startsWith(own) ? name.slice(own.length) : []));
}

const besideIt = /^\.(new-\d+|damaged-[\dTZ-]+)$/;

/** The file, if there is one, and the files beside it. Throws `SettingsError` for a file that is unsafe or no mirror. */
function filesOf(file: string): string[] {
  if (versionOf(file) !== undefined && !isMirrorFile(file)) {
    throw new SettingsError(`${file} is not a mirror file`, 'Name another file, or delete it yourself.');
  }
  return endingsOf(file).flatMap((ending) => (ending === '' || besideIt.test(ending) ? file + ending : []));
}

const accountEnding = /^(?<account>\.[a-z0-9][a-z0-9_-]{0,39})(?<beside>\..+)?$/;

/** The files of accounts, as `accountFileOf` names them. Other files with such a name are not mirror files. */
function accountFilesOf(file: string): string[] {
  const found = endingsOf(file).flatMap((ending) => {
    const { account, beside } = accountEnding.exec(ending)?.groups ?? {};
    if (account === undefined || besideIt.test(ending)) return [];
    const path = file + ending;
    const isOwn = beside === undefined ? lstatSync(path).isFile() && isMirrorFile(path) : besideIt.test(beside);
    return isOwn ? [file + account] : [];
  });
  return [...new Set(found)].sort();
}

function purge(file: string, account: string | undefined, { stdout }: CommandContext): void {
  const places = account === undefined ? [file, ...accountFilesOf(file)] : [accountFileOf(file, account)];
  // Refuses a link, so that nothing but the mirror itself is deleted.
  const files = places.flatMap(filesOf);
  for (const path of files) rmSync(path);
  stdout.write(files.length === 0 ? `There is no mirror file ${file}.\n` : `Deleted:\n${files.join('\n')}\n`);
}

/** `academy-mcp mirror purge`: deletes the mirror file, those of accounts, and the files beside them. */
export function mirrorCommand(context: CommandContext, before: Flags): Command {
  const command = new Command('mirror').description('the copy of the academy in ACADEMY_MIRROR');
  const purging = new Command('purge').description('delete the mirror file, with everything that it holds of students');
  purging.option('--account <name>', 'delete only the file of this account of the accounts file');
  addSettingFlags(purging).action(({ account, ...options }: Record<string, unknown>) => {
    const file = fileOf('mirror', { ...before, ...readSettingFlags(options) }, context);
    purge(file, parseAccount(account), context);
  });
  return command.addCommand(purging);
}

/** The start of a day in UTC, or a time. */
async function timeOf(given: string): Promise<number> {
  if (isDateOrTime(given)) return await resolveMoment('--before', given, 'UTC');
  throw new FlagError('--before must be an ISO 8601 date or time, such as 2026-01-31');
}

/** `academy-mcp journal purge --before DATE`: deletes the lines from before a date. */
export function journalCommand(context: CommandContext, before: Flags): Command {
  const command = new Command('journal').description('the journal of changes in ACADEMY_JOURNAL');
  const purging = new Command('purge').description('delete the lines from before a date: they can no longer be undone');
  purging.requiredOption('--before <date>', 'ISO 8601 date (UTC) or time');
  addSettingFlags(purging).action(async ({ before: date, ...options }: Record<string, unknown>) => {
    const file = fileOf('journal', { ...before, ...readSettingFlags(options) }, context);
    const purged = await purgeJournal(file, await timeOf(String(date)));
    context.stdout.write(`Deleted ${purged} ${purged === 1 ? 'line' : 'lines'} of the journal.\n`);
  });
  return command.addCommand(purging);
}
