import { Command } from 'commander';
import { purgeJournal } from '../api/writes/journal-file.ts';
import { FlagError } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import type { CommandContext } from './command-context.ts';
import { addSettingFlags, readSettingFlags } from './command-context.ts';
import { fileOf } from './mirror.ts';

const isDate = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/;

/** The start of a day in UTC, or a time. */
function timeOf(given: unknown): number {
  const time = isDate.test(String(given)) ? Date.parse(String(given)) : Number.NaN;
  if (Number.isNaN(time)) throw new FlagError('--before must be an ISO 8601 date or time, such as 2026-01-31');
  return time;
}

/** `academy-mcp journal purge --before DATE`: deletes the lines from before a date. */
export function journalCommand(context: CommandContext, before: Flags): Command {
  const command = new Command('journal').description('the journal of changes in ACADEMY_JOURNAL');
  const purging = new Command('purge').description('delete the lines from before a date: they can no longer be undone');
  purging.requiredOption('--before <date>', 'ISO 8601 date (UTC) or time');
  addSettingFlags(purging).action(async ({ before: date, ...options }: Record<string, unknown>) => {
    const file = fileOf('journal', { ...before, ...readSettingFlags(options) }, context);
    const purged = await purgeJournal(file, timeOf(date));
    context.stdout.write(`Deleted ${purged} ${purged === 1 ? 'line' : 'lines'} of the journal.\n`);
  });
  return command.addCommand(purging);
}
