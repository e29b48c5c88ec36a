import { existsSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { SettingsError } from '../../shared/errors.ts';
import { version } from '../../version.ts';

/** Homebrew's own path of a Node has its version, and disappears with the next upgrade. */
const inCellar = /^(.*)[\\/]Cellar[\\/]([^\\/]+)[\\/][^\\/]+[\\/]bin[\\/]node$/;

/** The path of Node that survives upgrades, as far as there is one. */
export function stableNode(runtime: string, exists: (path: string) => boolean = existsSync): string {
  const [, prefix = '', formula = ''] = inCellar.exec(runtime) ?? [];
  const linked = join(prefix, 'opt', formula, 'bin', 'node');
  return formula !== '' && exists(linked) ? linked : runtime;
}

/** Folders of npx, pnpm dlx, yarn dlx and bunx. They are emptied at any time. */
const temporaryFolder = /[\\/](_npx|dlx(-[^\\/]+)?|bunx-[^\\/]+)[\\/]/;

/** Folders to copy, so that the program stays when the cache of npx is emptied. */
export interface ProgramCopy {
  readonly from: string;
  readonly to: string;
}

export interface ServerCommand {
  /** Absolute path of Node. Clients often have another PATH than a terminal. */
  readonly command: string;
  /** Absolute path of the program. */
  readonly program: string;
  readonly copy: ProgramCopy | undefined;
}

/** How a client starts this program. `folder` is where a copy of it can be kept. */
export function serverCommand(runtime: string, program: string, folder: string): ServerCommand {
  if (program.endsWith('.ts')) {
    throw new SettingsError(
      'init writes the path of the built program into the settings',
      'Run npm run build, then node dist/main.js init.',
    );
  }
  const command = stableNode(runtime);
  if (!temporaryFolder.test(program)) return { command, program, copy: undefined };
  const from = dirname(program);
  const to = join(folder, `program-${version}`);
  return { command, program: join(to, program.slice(from.length + sep.length)), copy: { from, to } };
}

/** The folder of a copy that `serverCommand` made, if a path is in one. */
export function copyFolderOf(path: string, folder: string): string | undefined {
  const parent = dirname(resolve(path));
  return dirname(parent) === resolve(folder) && /[\\/]program-[^\\/]+$/.test(parent) ? parent : undefined;
}
