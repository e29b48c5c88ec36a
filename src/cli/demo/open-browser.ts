import { spawn } from 'node:child_process';
import type { CommandContext } from '../command-context.ts';

type System = Pick<CommandContext, 'platform' | 'environment'>;

/**
 * The command that opens an address in the person's browser; undefined if nobody would see the page: in CI, without a
 * display, or on the far end of an SSH connection.
 */
function openerFor({ platform, environment }: System): readonly [command: string, ...args: string[]] | undefined {
  const { CI, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = environment;
  if (CI) return undefined;
  if (platform !== 'darwin' && platform !== 'win32') return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
  if (SSH_CONNECTION) return undefined;
  // `start` takes its first argument in quotes as the title of a window.
  return platform === 'darwin' ? ['open'] : ['cmd', '/c', 'start', '""'];
}

/** Opens an address in the person's browser. Resolves to whether the command for it has started. */
export function openBrowser(url: string, system: System): Promise<boolean> {
  const [command, ...args] = openerFor(system) ?? [];
  if (command === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const options = { env: { ...system.environment }, detached: true, stdio: 'ignore' } as const;
    const opener = spawn(command, [...args, url], { ...options, windowsVerbatimArguments: true });
    opener.once('spawn', () => resolve(true));
    opener.once('error', () => resolve(false));
    opener.unref();
  });
}
