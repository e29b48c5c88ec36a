import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { AcademyError } from './errors.ts';
import { refuseInput } from './invalid-input.ts';
import { sha256 } from './keyed-hash.ts';

// A cursor comes from a client, which may have forged it: nothing of it is ever shown, and every value has a range.

/** The tool and the arguments that must stay the same from page to page. */
export type CursorScope = readonly [tool: string, ...args: unknown[]];

export type Cursors = ReturnType<typeof createCursors>;

/** Highest row number in a cursor. No list is that long. */
export const maxRows = 10_000_000;

/** In base64url: 132 bits, too many to guess. */
const macLength = 22;
const sumLength = 10;

/** Between the values. Not a character of base 36, base64url or time zones, and answers show it without quotes. */
const separator = '~';

/** A whole number in a cursor, where it is in base 36. */
export function cursorNumber(min: number, max: number) {
  const digits = z.string().regex(/^(0|-?[1-9a-z][0-9a-z]{0,10})$/);
  return digits.transform((text) => Number.parseInt(text, 36)).pipe(z.int().min(min).max(max));
}

/** The values, in the order of the fields of the position, and the sum. An absent value is an empty text. */
function parse<Position extends z.ZodObject>(shape: Position, cursor: string) {
  const names = Object.keys(shape.shape);
  const values = cursor.split(separator, names.length + 2);
  const entries = names.map((name, index) => [name, values[index] === '' ? undefined : values[index]]);
  const position = shape.safeParse(Object.fromEntries(entries));
  const [sum, ...more] = values.slice(names.length);
  if (position.success && sum !== undefined && more.length === 0) return { position: position.data, sum };
  const hint = 'Pass next_cursor of the previous answer unchanged, or leave cursor out to start again.';
  throw new AcademyError('invalid_input', 'cursor is not one that this tool issued', { hint });
}

/** Without a secret, the sum only detects a cursor of another question. `account`: refuses those of another account. */
export function createCursors(secret: string | undefined, account?: string) {
  // The secret has other uses. A derived key keeps a signature from being valid for another use.
  const key = createHmac('sha256', secret ?? '')
    .update('academy-mcp cursors')
    .digest();

  function sumOf(position: object, [tool, ...args]: CursorScope): string {
    const scope = [account === undefined ? tool : `${account} ${tool}`, ...args];
    const fields = Object.entries(position)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const mac = createHmac('sha256', key)
      .update(JSON.stringify([scope, fields]))
      .digest('base64url');
    return mac.slice(0, secret === undefined ? sumLength : macLength);
  }

  return {
    /** At most 120 characters if the values have at most 86 together. No value contains a tilde. */
    write: <Position extends z.ZodObject>(
      shape: Position,
      position: z.output<Position>,
      scope: CursorScope,
    ): string => {
      const values: Record<string, unknown> = position;
      const texts = Object.keys(shape.shape)
        .map((name) => values[name])
        .map((value) => (typeof value === 'number' ? value.toString(36) : String(value ?? '')));
      return [...texts, sumOf(position, scope)].join(separator);
    },
    /** Reads a cursor that `write` issued for the same scope. Throws `invalid_input` for any other. */
    read: <Position extends z.ZodObject>(shape: Position, cursor: string, scope: CursorScope): z.output<Position> => {
      const { sum, position } = parse(shape, cursor);
      if (timingSafeEqual(sha256(sum), sha256(sumOf(position, scope)))) return position;
      throw refuseInput([
        'cursor belongs to another tool or other arguments: pass it unchanged, with the arguments of the previous call',
      ]);
    },
  };
}
