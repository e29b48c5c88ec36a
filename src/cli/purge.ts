import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Command } from 'commander';
import { plainName } from '../accounts/load-accounts.ts';
import { purgeJournal } from '../api/writes/journal.ts';
import { FlagError, readSetting } from '../config/load.ts';
import { settings } from '../config/settings.ts';
import { isDateOrTime } from '../contract/schemas/input-fields.ts';
import { resolveMoment } from '../insights/period.ts';
import { accountFileOf, isMirrorFile, versionOf } from '../mirror/file/mirror-file.ts';
import { SettingsError } from '../shared/errors.ts';
import { addSettingFlags, type CommandContext, readSettingFlags } from './command-context.ts';

const leftOver = /\.(new-\d+|damaged-[\dTZ-]+)$/;

/** The file, those of accounts, and what is left over beside them. Throws `SettingsError` for a file that is unsafe or no mirror. */
function filesOf(file: string): string[] {
  // Refuses a link, so that nothing but the mirror itself is deleted.
  if (versionOf(file) !== undefined && !isMirrorFile(file))
    throw new SettingsError(`${file} is not a mirror file`, 'Name another file, or delete it yourself.');
  const names = readdirSync(dirname(file)).filter((name) => `${name}.`.startsWith(`${basename(file)}.`));
  const paths = names.map((name) => join(dirname(file), name)).sort();
  return paths.filter((path) => lstatSync(path).isFile() && (leftOver.test(path) || isMirrorFile(path)));
}

/** `academy-mcp <name> purge`. `work` gets the file of the setting and the flags, and returns what it did. */
function purgeCommand(
  name: 'mirror' | 'journal',
  { environment, stdout }: CommandContext,
  purging: Command,
  work: (file: string, options: Record<string, unknown>) => string | Promise<string>,
): Command {
  addSettingFlags(purging).action(async (options: Record<string, unknown>) => {
    // The other settings, such as the key, are not needed to delete it.
    const file = readSetting(name, { flags: readSettingFlags(options), environment });
    if (file === 'off' || file === 'memory')
      throw new SettingsError(`${settings[name].env} names no file`, `Set it to the file, or pass --${name} FILE.`);
    stdout.write(`${await work(file, options)}\n`);
  });
  return new Command(name).addCommand(purging);
}

function mirrorCommand(context: CommandContext): Command {
  const purging = new Command('purge')
    .description('delete the mirror file, with everything that it holds of students')
    .option('--account <name>', 'delete only the file of this account of the accounts file');
  return purgeCommand('mirror', context, purging, (all, { account }) => {
    const { data: name, error } = plainName.optional().safeParse(account);
    if (error !== undefined) throw new FlagError(`--account ${error.issues[0]?.message ?? 'is invalid'}`);
    const file = accountFileOf(all, name);
    const files = filesOf(file);
    for (const path of files) rmSync(path);
    return files.length === 0 ? `There is no mirror file ${file}.` : `Deleted:\n${files.join('\n')}`;
  });
}

function journalCommand(context: CommandContext): Command {
  const purging = new Command('purge')
    .description('delete the lines from before a date: they can no longer be undone')
    .requiredOption('--before <date>', 'ISO 8601 date (UTC) or time');
  return purgeCommand('journal', context, purging, async (file, { before }) => {
    const date = String(before);
    if (!isDateOrTime(date)) throw new FlagError('--before must be an ISO 8601 date or time, such as 2026-01-31');
    const purged = await purgeJournal(file, await resolveMoment('--before', date, 'UTC'));
    return `Deleted ${purged} ${purged === 1 ? 'line' : 'lines'} of the journal.`;
  });
}

export const mirror = { createCommand: mirrorCommand };
export const journal = { createCommand: journalCommand };
