// Draws docs/conversation.svg from real answers: questions on the right, calls and answers on the left.

import type { Exchange } from './ask.ts';
import { boxAt, svg, textAt } from './svg.ts';

const width = 960;
const margin = 20;
const padding = 16;
const lineHeight = 18;
/** Width of a character of the monospaced font at 12 px, rounded up. */
const monospaced = 7.3;
/** Width of a character of the question's font at 15 px, rounded up. */
const proportional = 8.2;
const maxColumns = Math.floor((width - 2 * margin - 2 * padding) / monospaced);
const maxLines = 14;
const maxCell = 26;

const css = `
.page { fill: #ffffff } .you { fill: #dbeafe } .answer { fill: #f3f4f6 }
text { fill: #1f2937; white-space: pre } .question { font: 15px system-ui, -apple-system, 'Segoe UI', sans-serif }
.line, .head, .call, .first { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
.first { font-weight: 600 } .head, .call, .note { fill: #6b7280 } .note { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117 } .you { fill: #1e3a5f } .answer { fill: #161b22 } text { fill: #e6edf3 } .head, .call, .note { fill: #9198a1 }
}`;

/** Cells of one line of an answer; most lines have one. */
interface Row {
  readonly style: string;
  readonly cells: readonly string[];
}

/** Shapes from `y` down, and where the next ones begin. */
interface Part {
  readonly shapes: readonly string[];
  readonly bottom: number;
}

function wrapLine(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > maxColumns) {
    const space = rest.lastIndexOf(' ', maxColumns);
    const end = space > 0 ? space : maxColumns;
    lines.push(rest.slice(0, end));
    rest = `  ${rest.slice(end).trimStart()}`;
  }
  return [...lines, rest];
}

function cutCell(cell: string): string {
  return cell.length > maxCell ? `${cell.slice(0, maxCell - 1)}…` : cell;
}

/** A table of an answer has " | " between its cells, and its head is its first line. */
function rowsOf(text: string): Row[] {
  let isHead = true;
  return text.split('\n').flatMap((line, index): Row[] => {
    if (!line.includes(' | ')) {
      return wrapLine(line).map((part) => ({ style: index === 0 ? 'first' : 'line', cells: [part] }));
    }
    const style = isHead ? 'head' : 'line';
    isHead = false;
    return [{ style, cells: line.split(' | ').map((cell) => cutCell(cell.trim())) }];
  });
}

function shorten(rows: readonly Row[]): Row[] {
  if (rows.length <= maxLines) return [...rows];
  const more = { style: 'head', cells: [`… ${rows.length - maxLines + 1} more lines`] };
  return [...rows.slice(0, maxLines - 1), more];
}

/** Where each column of the table begins, counted in characters. */
function columnStarts(rows: readonly Row[]): number[] {
  const table = rows.filter(({ cells }) => cells.length > 1);
  const columns = Math.max(1, ...table.map(({ cells }) => cells.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...table.map(({ cells }) => cells[column]?.length ?? 0)),
  );
  return widths.map((_, column) => widths.slice(0, column).reduce((sum, one) => sum + one + 2, 0));
}

function questionPart(question: string, y: number): Part {
  const boxWidth = Math.ceil(question.length * proportional) + 2 * padding;
  const box = { x: width - margin - boxWidth, y, width: boxWidth, height: 40 };
  return { shapes: [boxAt(box, 'you'), textAt(box.x + padding, y + 26, 'question', question)], bottom: y + 40 };
}

function callLine({ tool, args }: Exchange): string {
  const given = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `→ ${tool}(${given.join(', ')})`;
}

function answerPart(text: string, y: number): Part {
  const rows = shorten(rowsOf(text));
  const starts = columnStarts(rows);
  const box = { x: margin, y, width: width - 2 * margin, height: rows.length * lineHeight + 2 * padding };
  const lines = rows.flatMap(({ style, cells }, row) =>
    cells.flatMap((cell, column) => {
      const x = Math.round(margin + padding + (starts[column] ?? 0) * monospaced);
      return cell === '' ? [] : [textAt(x, y + padding + row * lineHeight + 13, style, cell)];
    }),
  );
  return { shapes: [boxAt(box, 'answer'), ...lines], bottom: y + box.height };
}

function exchangePart(exchange: Exchange, y: number): Part {
  const question = questionPart(exchange.question, y);
  const call = textAt(margin + padding, question.bottom + 28, 'call', callLine(exchange));
  const answer = answerPart(exchange.text, question.bottom + 42);
  return { shapes: [...question.shapes, call, ...answer.shapes], bottom: answer.bottom };
}

/** A picture of the conversation: an SVG file that follows the reader's light or dark colours. */
export function conversation(exchanges: readonly Exchange[]): string {
  let bottom = margin;
  const shapes = exchanges.flatMap((exchange) => {
    const part = exchangePart(exchange, bottom);
    bottom = part.bottom + 2 * margin;
    return part.shapes;
  });
  const note =
    'Real answers of the embedded academy with made-up data, as the assistant reads them. Drawn by npm run docs.';
  const page = { x: 0, y: 0, width, height: bottom + margin };
  const all = [boxAt(page, 'page'), ...shapes, textAt(margin, bottom, 'note', note)];
  return svg({ title: 'A conversation with the embedded academy', width, height: page.height, css, shapes: all });
}
