import type { Setting } from '../../src/config/setting.ts';
import { settings } from '../../src/config/settings.ts';
import { code, table } from './markdown.ts';

/** What holds when nothing is set, as a person would write it. */
function defaultOf({ schema }: Setting): string {
  const parsed = schema.safeParse(undefined);
  if (!parsed.success) return 'required';
  const isNothing = parsed.data === undefined || (Array.isArray(parsed.data) && parsed.data.length === 0);
  return isNothing ? 'not set' : code(String(parsed.data));
}

function flagOf({ flag, value }: Setting): string {
  if (flag === undefined) return 'none, being a secret';
  return code(`--${flag}${value === undefined ? '' : ` <${value}>`}`);
}

/** docs/settings.md: "All settings". */
export function settingsTable(): string {
  const rows = Object.values<Setting>(settings).map((setting) => [
    code(setting.env),
    flagOf(setting),
    defaultOf(setting),
    setting.help
      .replace('(see Safety)', '(see [Safety](safety.md#confirmation))')
      .replace('(see Replicas)', '(see [Replicas](deploy.md#replicas))')
      .replace('(see Several academies)', '(see [Several academies](accounts.md))'),
  ]);
  return table(['Variable', 'Flag', 'Default', 'Meaning'], rows);
}
