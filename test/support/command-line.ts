import { PassThrough } from 'node:stream';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { run } from '../../src/cli/program.ts';
import { type Ended, program } from './program.ts';

/** Runs the program in this process as a client on stdin and stdout that sends these messages and leaves. */
export async function talkHere(
  messages: readonly object[],
  environment: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<Ended> {
  const stdin = new PassThrough();
  stdin.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  return await runHere(args, environment, { stdin });
}

/**
 * Runs the command line in this process, with exactly this environment and its own streams: starting the built
 * program takes 200 ms. Processes that a command starts run the built program.
 */
export async function runHere(
  args: readonly string[],
  environment: Record<string, string> = {},
  changes: Partial<CommandContext> = {},
): Promise<Ended> {
  const stdout = new PassThrough();
  const written = { stdout: '', stderr: '' };
  stdout.on('data', (chunk: Buffer) => (written.stdout += chunk));
  const stderr = {
    write: (line: string) => {
      written.stderr += line;
    },
  };
  const { signal } = new AbortController();
  const streams = { stdin: new PassThrough(), stdout, stderr };
  const terminal = { isTerminal: false, interrupt: () => {} };
  const machine = { platform: process.platform, runtime: process.execPath, program };
  const code = await run(args, { environment, ...streams, signal, ...terminal, ...machine, ...changes });
  return { code, ...written };
}
