import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { lineWidth, wrap } from './wrap.ts';

/** What the demo is read on. */
export interface Screen {
  /** The name of a part. */
  heading(text: string): void;
  /** What a person asks an assistant that has these tools. */
  question(text: string): void;
  say(text: string): void;
  /** A tool call, as it is made. */
  call(name: string, args: object): void;
  /** Lines of an answer. */
  answer(lines: readonly string[]): void;
  /** Something that was checked and holds. */
  check(text: string): void;
}

interface TextStyle {
  style?: Parameters<typeof styleText>[0];
  /** Stands before the first line; further lines are indented as far. */
  mark?: string;
}

/** Characters of one argument; what is longer was copied from an answer, and nobody reads it twice. */
const maxArgument = 150;

/** `list_orders(status: "paid", page: 1)` */
export function callText(name: string, args: object): string {
  const given = Object.entries(args).map(([argument, value]) => {
    const text = JSON.stringify(value);
    return `${argument}: ${text.length > maxArgument ? '{…}' : text}`;
  });
  return `${name}(${given.join(', ')})`;
}

/** Writes plain lines; with `colour` also the escapes that make calls dim and headings bold. */
export function createScreen(stdout: Writable, useColor: boolean): Screen {
  const write = (text: string, { style, mark = '' }: TextStyle = {}) => {
    for (const [index, part] of wrap(text, lineWidth - mark.length).entries()) {
      const line = `${index === 0 ? mark : ' '.repeat(mark.length)}${part}`;
      // Whether colours fit is decided already; styleText would look at the process's own stdout.
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
