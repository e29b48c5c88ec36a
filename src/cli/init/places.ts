import { type PlatformPath, posix, win32 } from 'node:path';
import type { Environment } from '../../config/setting-sources.ts';
import { SettingsError } from '../../shared/errors.ts';

/** What decides where a user's files are. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
}

/** The path functions of a system, which need not be the one that runs this. */
export function pathsOf({ platform }: System): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

export function homeOf({ platform, environment }: System): string {
  const name = platform === 'win32' ? 'USERPROFILE' : 'HOME';
  const home = environment[name];
  if (home === undefined || home === '') {
    throw new SettingsError(`${name} is not set`, 'It must be the path of your home folder.');
  }
  return home;
}

/** The folder in which programs keep their settings of one user. */
export function settingsFolder(system: System): string {
  const { platform, environment } = system;
  const { join, isAbsolute } = pathsOf(system);
  if (platform === 'darwin') return join(homeOf(system), 'Library', 'Application Support');
  if (platform === 'win32') return environment.APPDATA || join(homeOf(system), 'AppData', 'Roaming');
  const { XDG_CONFIG_HOME: configured = '' } = environment;
  // XDG Base Directory Specification: a relative path is invalid and must be ignored.
  return isAbsolute(configured) ? configured : join(homeOf(system), '.config');
}

/** The folder in which init keeps what entries refer to: key files, and a copy of the program if it needs one. */
export function ownFolder(system: System): string {
  return pathsOf(system).join(settingsFolder(system), 'academy-mcp');
}

/** The folder of the packages of Windows (MSIX). Undefined on other systems. */
export function windowsPackages(system: System): string | undefined {
  if (system.platform !== 'win32') return undefined;
  const local = system.environment.LOCALAPPDATA || win32.join(homeOf(system), 'AppData', 'Local');
  return win32.join(local, 'Packages');
}
