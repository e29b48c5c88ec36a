import { createHmac } from 'node:crypto';
import { type Row, words } from './academy.ts';

// The values of a cursor by name, as one sees them who has read the source: numbers are in base 36, a tilde separates them.

const orderPlace = ['from', 'to', 'timezone', 'period', 'created_after', 'created_before', 'running', 'at'] as const;
export const windowPlace = ['at', 'of'] as const;

const numbers = new Set(['from', 'to', 'running', 'at', 'of']);

function placeValue(name: string, text: string): unknown {
  return numbers.has(name) ? Number.parseInt(text, 36) : text;
}

/** The values that the cursor has, and its sum. */
export function readCursor(cursor: unknown, names: readonly string[] = orderPlace): Row {
  const parts = words(cursor).split('~');
  const all = [...names, 'sum'];
  return Object.fromEntries(
    all.flatMap((name, index) => (parts[index] ? [[name, placeValue(name, parts[index])] as const] : [])),
  );
}

/** A cursor of these values, in this order; further ones come before the sum, which may be missing. */
export function writeCursor({ sum, ...place }: Row, names: readonly string[] = orderPlace): string {
  const more = Object.keys(place).filter((name) => !names.includes(name));
  const parts = [...names, ...more].map((name) => {
    const value = place[name];
    return typeof value === 'number' ? value.toString(36) : String(value ?? '');
  });
  return [...parts, ...(sum === undefined ? [] : [String(sum)])].join('~');
}

/** With the sum that a program without a secret would write. `question`: the tool and its arguments. */
export function forgeCursor({ sum: _sum, ...place }: Row, question: unknown, names?: readonly string[]): string {
  const fields = Object.entries(place).sort(([one], [other]) => (one < other ? -1 : 1));
  const key = createHmac('sha256', '').update('academy-mcp cursors').digest();
  const digest = createHmac('sha256', key).update(JSON.stringify([question, fields]));
  return writeCursor({ ...place, sum: digest.digest('base64url').slice(0, 10) }, names);
}
