import { spawn } from 'node:child_process';
import type { CommandContext } from '../command-context.ts';

// `start` takes its first argument in quotes as the title of a window.
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', '""'],
};

/** Tries to open an address in the person's browser, except in CI. Nobody learns whether that worked: print it, too. */
export function openBrowser(url: string, { platform, environment }: Pick<CommandContext, 'platform' | 'environment'>) {
  if (environment.CI) return;
  const [command = 'xdg-open', ...args] = openers[platform] ?? [];
  const options = { env: { ...environment }, detached: true, stdio: 'ignore' } as const;
  const opener = spawn(command, [...args, url], { ...options, windowsVerbatimArguments: true });
  opener.once('error', () => {});
  opener.unref();
}
