import { spawnSync } from 'node:child_process';
import { oneLine } from '../../shared/clean-text.ts';
import { SettingsError } from '../../shared/errors.ts';
import type { ServerEntry, System } from './clients.ts';

// Claude Code writes its settings itself: they are large, and it may write them at any time. `user`: for every project.

/** As a person types it. */
export function commandText(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w@%+=:,./\\-]+$/.test(arg) ? arg : `"${arg.replaceAll(/(["$`])/g, '\\$1')}"`));
  return ['claude', ...quoted].join(' ');
}

export function addArguments(name: string, { command, args, env }: ServerEntry): string[] {
  const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  return ['mcp', 'add', name, '--scope', 'user', ...variables, '--', command, ...args];
}

export function removeArguments(name: string): string[] {
  return ['mcp', 'remove', name, '--scope', 'user'];
}

/** Runs Claude Code. Throws `SettingsError` with the command for a person to run, if it cannot be run or fails. */
export function runClaude(args: readonly string[], { environment }: System): void {
  const { error, status, stderr } = spawnSync('claude', args, { env: { ...environment }, encoding: 'utf8' });
  const hint = `Run this command yourself: ${commandText(args)}`;
  if (error !== undefined) {
    throw new SettingsError('Claude Code could not be started: the command claude is not on your PATH', hint);
  }
  if (status !== 0) throw new SettingsError(`Claude Code refused the change: ${oneLine(stderr, 300)}`, hint);
}

/** Replaces the server if there is one: Claude Code adds no second one of the same name. */
export function addToClaude(name: string, entry: ServerEntry, system: System): void {
  try {
    runClaude(removeArguments(name), system);
  } catch {}
  runClaude(addArguments(name, entry), system);
}
