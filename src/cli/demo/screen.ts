import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { lineWidth, wrap } from './wrap.ts';

/** Writes the demo to the terminal. */
export interface Screen {
  /** The title of a section. */
  heading(text: string): void;
  /** A question to an assistant with these tools. */
  question(text: string): void;
  say(text: string): void;
  /** A tool call. */
  call(name: string, args: object): void;
  /** Lines of an answer. */
  answer(lines: readonly string[]): void;
  /** A check that has passed. */
  check(text: string): void;
}

interface TextStyle {
  style?: Parameters<typeof styleText>[0];
  /** Precedes the first line; the other lines are indented by its length. */
  mark?: string;
}

/** Characters of one argument. A longer one was copied from an answer that is on the screen already. */
const maxArgument = 150;

/** `list_orders(status: "paid", page: 1)` */
export function callText(name: string, args: object): string {
  const given = Object.entries(args).map(([argument, value]) => {
    const text = JSON.stringify(value);
    return `${argument}: ${text.length > maxArgument ? '{…}' : text}`;
  });
  return `${name}(${given.join(', ')})`;
}

/** Writes plain lines or, with `useColor`, lines with terminal colors. */
export function createScreen(stdout: Writable, useColor: boolean): Screen {
  const write = (text: string, { style, mark = '' }: TextStyle = {}) => {
    for (const [index, part] of wrap(text, lineWidth - mark.length).entries()) {
      const line = `${index === 0 ? mark : ' '.repeat(mark.length)}${part}`;
      // `useColor` decides about colors. styleText would check the stdout of the process.
      const styled = useColor && style !== undefined ? styleText(style, line, { validateStream: false }) : line;
      stdout.write(`${styled}\n`);
    }
  };
  return {
    heading: (text) => {
      write('');
      write(text, { style: ['bold', 'cyan'] });
      write('─'.repeat(text.length), { style: 'cyan' });
    },
    question: (text) => {
      write('');
      write(text, { style: 'bold', mark: 'You: ' });
    },
    say: (text) => write(text),
    call: (name, args) => write(callText(name, args), { style: 'dim', mark: '  → ' }),
    answer: (lines) => {
      for (const line of lines) write(line, { mark: '    ' });
    },
    check: (text) => write(text, { style: 'green', mark: '  ✓ ' }),
  };
}
