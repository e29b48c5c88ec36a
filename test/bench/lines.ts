import type { Readable } from 'node:stream';

/** Calls `onLine` for each complete line. A long line arrives in many pieces, which are joined once. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let pieces: string[] = [];
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    const [head = '', ...rest] = piece.split('\n');
    pieces.push(head);
    for (const next of rest) {
      onLine(pieces.join(''));
      pieces = [next];
    }
  });
}
