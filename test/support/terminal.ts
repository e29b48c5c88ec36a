import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { atEnd } from './at-end.ts';
import { program } from './built.ts';

/** Whether this machine can give a program a terminal (the command `script` of util-linux). */
export const hasTerminal = spawnSync('script', ['--version']).status === 0;

export const ctrlC = '\u0003';

export interface TerminalSession {
  /** What the terminal shows so far. */
  screen(): string;
  type(text: string): void;
  child: ChildProcess;
  ended: Promise<number | null>;
}

/** Starts the built program on a terminal of its own, with exactly this environment (and PATH). */
export function startOnTerminal(args: readonly string[], environment: Record<string, string> = {}): TerminalSession {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  const env = { PATH: process.env.PATH, TERM: 'dumb', ...environment };
  const child = spawn('script', ['--quiet', '--return', '--command', `exec ${command}`, '/dev/null'], { env });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk));
  child.stdin.on('error', () => {});
  atEnd(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { screen: () => shown.replaceAll('\r', ''), type: (text) => void child.stdin.write(text), child, ended };
}
