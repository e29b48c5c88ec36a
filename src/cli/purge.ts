import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Command } from 'commander';
import { plainName } from '../accounts/load-accounts.ts';
import { purgeJournal } from '../api/writes/journal.ts';
import { FlagError, readSetting } from '../config/load.ts';
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
  const place = readSetting(name, { flags, environment });
  if (place !== 'off' && place !== 'memory') return place;
  throw new SettingsError(`${settings[name].env} names no file`, `Set it to the file, or pass --${name} FILE.`);
}

function parseAccount(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const account = plainName.safeParse(given);
  if (!account.success) throw new FlagError(`--account ${account.error.issues[0]?.message ?? 'is invalid'}`);
  return account.data;
}

/** What a killed process has left, and what could not be read. */
const leftOver = /\.(new-\d+|damaged-[\dTZ-]+)$/;

/** The file, those of accounts, and what is left over beside them. Throws `SettingsError` for a file that is unsafe or no mirror. */
function filesOf(file: string): string[] {
  // Refuses a link, so that nothing but the mirror itself is deleted.
  if (versionOf(file) !== undefined && !isMirrorFile(file)) {
    throw new SettingsError(`${file} is not a mirror file`, 'Name another file, or delete it yourself.');
  }
  const names = readdirSync(dirname(file)).filter((name) => `${name}.`.startsWith(`${basename(file)}.`));
  const paths = names.map((name) => join(dirname(file), name)).sort();
  return paths.filter((path) => lstatSync(path).isFile() && (leftOver.test(path) || isMirrorFile(path)));
}

function purge(file: string, { stdout }: CommandContext): void {
  const files = filesOf(file);
  for (const path of files) rmSync(path);
  stdout.write(files.length === 0 ? `There is no mirror file ${file}.\n` : `Deleted:\n${files.join('\n')}\n`);
}

/** `academy-mcp mirror purge`: deletes the mirror file, those of accounts, and the files beside them. */
export function mirrorCommand(context: CommandContext): Command {
  const command = new Command('mirror');
  const purging = new Command('purge').description('delete the mirror file, with everything that it holds of students');
  purging.option('--account <name>', 'delete only the file of this account of the accounts file');
  addSettingFlags(purging).action(({ account, ...options }: Record<string, unknown>) => {
    const file = fileOf('mirror', readSettingFlags(options), context);
    const name = parseAccount(account);
    purge(name === undefined ? file : accountFileOf(file, name), context);
  });
  return command.addCommand(purging);
}

/** The start of a day in UTC, or a time. */
async function timeOf(given: string): Promise<number> {
  if (isDateOrTime(given)) return await resolveMoment('--before', given, 'UTC');
  throw new FlagError('--before must be an ISO 8601 date or time, such as 2026-01-31');
}

/** `academy-mcp journal purge --before DATE`: deletes the lines from before a date. */
export function journalCommand(context: CommandContext): Command {
  const command = new Command('journal');
  const purging = new Command('purge').description('delete the lines from before a date: they can no longer be undone');
  purging.requiredOption('--before <date>', 'ISO 8601 date (UTC) or time');
  addSettingFlags(purging).action(async ({ before: date, ...options }: Record<string, unknown>) => {
    const file = fileOf('journal', readSettingFlags(options), context);
    const purged = await purgeJournal(file, await timeOf(String(date)));
    context.stdout.write(`Deleted ${purged} ${purged === 1 ? 'line' : 'lines'} of the journal.\n`);
  });
  return command.addCommand(purging);
}
