import type { PlatformReport } from '../../api/platform.ts';
import { openAppendOnlyFile } from '../../api/writes/audit-file.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { SettingsError } from '../../shared/errors.ts';

/** Opens the audit log as the server does, which creates a missing file, and adds no line. Returns the problem, if any. */
export function auditProblem(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    openAppendOnlyFile(file).close();
    return undefined;
  } catch (error) {
    if (error instanceof SettingsError) return oneLine(error.message, 500);
    throw error;
  }
}

export function auditLine(file: string | undefined, problem: string | undefined): string {
  if (file === undefined) return '  audit log    not set: writes are not recorded';
  return problem === undefined ? '  audit log    writable' : `NO  ${problem}`;
}

/** Line with the time zone of days and weeks, and its current time. */
export function zoneLine(timezone: string, now: Date): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, dateStyle: 'medium', timeStyle: 'short' });
  const source = timezone === 'UTC' ? ' (default; set ACADEMY_TIMEZONE to change it)' : '';
  return `  time zone    ${timezone}${source}, now ${time.format(now)}`;
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
