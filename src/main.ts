#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run } from './cli/program.ts';

const ending = new AbortController();

function end(signal: NodeJS.Signals): void {
  // A second signal ends the process at once.
  if (ending.signal.aborted) process.exit(1);
  ending.abort(new DOMException(signal, 'AbortError'));
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end(signal));

// Synchronous, so that the last log line is not lost. A closed stderr must not end the program.
const stderr = {
  write: (line: string) => {
    try {
      writeSync(2, line);
    } catch {}
  },
};

// A reader such as `head` may close the pipe early. The command then ends as it would have. serve-stdio.ts has a handler of its own.
process.stdout.on('error', () => {});

const code = await run(process.argv.slice(2), {
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr,
  signal: ending.signal,
  interrupt: () => end('SIGINT'),
  isTerminal: process.stdin.isTTY === true,
  platform: process.platform,
  runtime: process.execPath,
  program: fileURLToPath(import.meta.url),
});
// Sockets and timers that are still open must not keep a finished program alive.
if (process.stdout.writableLength > 0) await new Promise((resolve) => process.stdout.write('', resolve));
process.exit(code);
