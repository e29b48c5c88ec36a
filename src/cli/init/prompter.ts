import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { AcademyError } from '../../shared/errors.ts';
import type { CommandContext } from '../command-context.ts';

type Terminal = Pick<CommandContext, 'stdin' | 'stdout' | 'signal' | 'interrupt' | 'isTerminal'>;

export interface Prompter {
  /** Asks and resolves to the line that is typed, trimmed. A hidden answer is not shown. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
  /** Prints a line that is not a question. */
  say(line: string): void;
  /** False once the input has ended. */
  isOpen(): boolean;
  close(): void;
}

function noMoreInput(): AcademyError {
  return new AcademyError('invalid_settings', 'the input ended before every question was answered', {
    hint: 'Answer on a terminal, or give the answers as flags and add --yes.',
  });
}

/** Passes on what readline writes, until `isMuted`: readline itself shows what is typed. */
function mutedOutput(stdout: Writable, isMuted: () => boolean): Writable {
  return new Writable({
    write: (chunk, _encoding, done) => {
      if (!isMuted()) stdout.write(chunk);
      done();
    },
  });
}

/** Asks on a terminal, or reads one answer from each line of a pipe. */
export function createPrompter({ stdin, stdout, signal, interrupt, isTerminal }: Terminal): Prompter {
  let isMuted = false;
  const output = mutedOutput(stdout, () => isMuted);
  const lines = createInterface({ input: stdin, output, terminal: isTerminal });
  // A pipe can deliver several lines at once, before they are asked for.
  const early: string[] = [];
  let waiting: PromiseWithResolversOf<string> | undefined;
  let isClosed = false;

  lines.on('line', (line) => {
    if (waiting === undefined) early.push(line);
    else waiting.resolve(line);
    waiting = undefined;
  });
  lines.on('close', () => {
    isClosed = true;
    waiting?.reject(noMoreInput());
  });
  // In raw mode, a terminal sends Ctrl-C as a character.
  lines.on('SIGINT', () => {
    interrupt();
    lines.close();
  });
  signal.addEventListener('abort', () => lines.close(), { once: true });

  function nextLine(): Promise<string> {
    const [line] = early.splice(0, 1);
    if (line !== undefined) return Promise.resolve(line);
    if (isClosed) return Promise.reject(noMoreInput());
    return new Promise((resolve, reject) => {
      waiting = { resolve, reject };
    });
  }

  return {
    ask: async (question, { hidden = false } = {}) => {
      lines.setPrompt(question);
      if (isClosed) stdout.write(question);
      else lines.prompt();
      isMuted = hidden;
      const line = await nextLine().finally(() => {
        isMuted = false;
        if (hidden || !isTerminal) stdout.write('\n');
      });
      return line.trim();
    },
    say: (line) => void stdout.write(`${line}\n`),
    isOpen: () => !isClosed || early.length > 0,
    close: () => lines.close(),
  };
}

interface PromiseWithResolversOf<Value> {
  resolve(value: Value): void;
  reject(error: Error): void;
}
