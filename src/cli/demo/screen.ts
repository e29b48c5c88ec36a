import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** Longest line, in characters. */
const lineWidth = 100;

/** Breaks a line at spaces into parts of at most `width` characters. Cuts a longer word. Keeps leading spaces. */
export function wrap(line: string, width: number): string[] {
  const rest = line.trimEnd();
  if (rest.length <= width) return [rest];
  const blank = rest.lastIndexOf(' ', width);
  const end = blank > rest.length - rest.trimStart().length ? blank : width;
  return [rest.slice(0, end).trimEnd(), ...wrap(rest.slice(end).trimStart(), width)];
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

/** Rows with columns as wide as their longest cell. Numbers are on the right; the last column has any width. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = column === row.length - 1 ? 0 : (widths[column] ?? 0);
      return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
    });
    return cells.join('  ');
  });
}

type Style = Parameters<typeof styleText>[0];

/** Writes the demo to the terminal: plain lines or, with `useColor`, lines with terminal colors. */
export function createScreen(stdout: Writable, useColor: boolean) {
  /** `mark` precedes the first line; the other lines are indented by its length. */
  function write(text: string, style?: Style, mark = ''): void {
    for (const [index, part] of wrap(text, lineWidth - mark.length).entries()) {
      const line = `${index === 0 ? mark : ' '.repeat(mark.length)}${part}`;
      // `useColor` decides about colors. styleText would check the stdout of the process.
      const styled = useColor && style !== undefined ? styleText(style, line, { validateStream: false }) : line;
      stdout.write(`${styled}\n`);
    }
  }
  return {
    heading: (text: string) => {
      write('');
      write(text, ['bold', 'cyan']);
      write('─'.repeat(text.length), 'cyan');
    },
    /** A question to an assistant with these tools. */
    question: (text: string) => {
      write('');
      write(text, 'bold', 'You: ');
    },
    say: (text: string) => write(text),
    call: (name: string, args: object) => write(callText(name, args), 'dim', '  → '),
    answer: (lines: readonly string[]) => {
      for (const line of lines) write(line, undefined, '    ');
    },
    /** A check that has passed. */
    check: (text: string) => write(text, 'green', '  ✓ '),
  };
}

export type Screen = ReturnType<typeof createScreen>;
