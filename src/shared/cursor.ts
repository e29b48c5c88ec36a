import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { AcademyError } from './errors.ts';
import { refuseInput } from './invalid-input.ts';

// A cursor comes back from a client, who may have made it up: nothing of it is ever shown, and every value has a range.

/** The tool, and those of its arguments that must be equal in every part. */
export type CursorScope = readonly [tool: string, ...args: unknown[]];

/** Gives out cursors and takes them back. */
export interface Cursors {
  write(place: object, asked: CursorScope): string;
  /** Reads what `write` wrote for the same question. Throws `invalid_input` for anything else. */
  read<Schema extends z.ZodObject>(shape: Schema, cursor: string, asked: CursorScope): z.output<Schema>;
  /** The same; without a secret also a place without its sum, which tells no more than a number of rows. */
  readUnsigned<Schema extends z.ZodObject>(shape: Schema, cursor: string, asked: CursorScope): z.output<Schema>;
}

/** Rows of an answer that a cursor may stand behind: more than any list that is read. */
export const maxRows = 10_000_000;

/** 128 bits: enough that nobody finds one by trying. */
const macBytes = 16;
const sumLength = 10;

const sumShape = z.string().max(64).optional();

function parse<Schema extends z.ZodType>(shape: Schema, cursor: string): z.output<Schema> {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    const hint = 'Pass next_cursor of the answer before as it is, or leave cursor out to start anew.';
    throw new AcademyError('invalid_input', 'cursor is not one that this tool gave out', { hint, cause });
  }
}

function textOf(place: object, asked: CursorScope): string {
  const fields = Object.entries(place)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([asked, fields]);
}

/** Without a secret it only tells the cursor of another question: replicas share nothing to sign with. */
function createSum(secret: string | undefined): (place: object, asked: CursorScope) => string {
  if (secret === undefined) {
    return (place, asked) => createHash('sha256').update(textOf(place, asked)).digest('base64url').slice(0, sumLength);
  }
  // The secret has other uses: what it signs for one must mean nothing for another.
  const key = createHmac('sha256', secret).update('academy-mcp cursors').digest();
  return (place, asked) =>
    createHmac('sha256', key).update(textOf(place, asked)).digest().subarray(0, macBytes).toString('base64url');
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** With a secret, cursors are signed, and any process with the same secret takes them. */
export function createCursors(secret: string | undefined): Cursors {
  const sumOf = createSum(secret);

  function read<Schema extends z.ZodObject>(shape: Schema, cursor: string, asked: CursorScope, needsSum: boolean) {
    const { sum, ...place } = parse(shape.extend({ sum: sumShape }), cursor) as { sum?: string };
    const isRight = sum === undefined ? !needsSum : isSame(sum, sumOf(place, asked));
    if (isRight) return place as z.output<Schema>;
    throw refuseInput([
      'cursor belongs to another tool or other arguments: pass it as it is, with those of the answer before',
    ]);
  }

  return {
    write: (place, asked) => Buffer.from(JSON.stringify({ ...place, sum: sumOf(place, asked) })).toString('base64url'),
    read: (shape, cursor, asked) => read(shape, cursor, asked, true),
    readUnsigned: (shape, cursor, asked) => read(shape, cursor, asked, secret !== undefined),
  };
}
