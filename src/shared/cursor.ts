import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { AcademyError } from './errors.ts';
import { refuseInput } from './invalid-input.ts';

// A cursor comes from a client, which may have forged it: nothing of it is ever shown, and every value has a range.

/** The tool and the arguments that must stay the same from page to page. */
export type CursorScope = readonly [tool: string, ...args: unknown[]];

/** Issues cursors and reads them. */
export interface Cursors {
  write(position: object, scope: CursorScope): string;
  /** Reads a cursor that `write` issued for the same scope. Throws `invalid_input` for any other. */
  read<Schema extends z.ZodObject>(shape: Schema, cursor: string, scope: CursorScope): z.output<Schema>;
  /** Like `read`, but without a secret it also accepts a position without a signature, which is only a row number. */
  readUnsigned<Schema extends z.ZodObject>(shape: Schema, cursor: string, scope: CursorScope): z.output<Schema>;
}

/** Highest row number in a cursor. No list is that long. */
export const maxRows = 10_000_000;

/** 128 bits, too many to guess. */
const macBytes = 16;
const sumLength = 10;

const sumShape = z.string().max(64).optional();

function parse<Schema extends z.ZodType>(shape: Schema, cursor: string): z.output<Schema> {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    const hint = 'Pass next_cursor of the previous answer unchanged, or leave cursor out to start again.';
    throw new AcademyError('invalid_input', 'cursor is not one that this tool issued', { hint, cause });
  }
}

function textOf(position: object, scope: CursorScope): string {
  const fields = Object.entries(position)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([scope, fields]);
}

/** Without a secret, the checksum only detects a cursor of another question: replicas share no key to sign with. */
function createSum(secret: string | undefined): (position: object, scope: CursorScope) => string {
  if (secret === undefined) {
    return (position, scope) =>
      createHash('sha256').update(textOf(position, scope)).digest('base64url').slice(0, sumLength);
  }
  // The secret has other uses. A derived key keeps a signature from being valid for another use.
  const key = createHmac('sha256', secret).update('academy-mcp cursors').digest();
  return (position, scope) =>
    createHmac('sha256', key).update(textOf(position, scope)).digest().subarray(0, macBytes).toString('base64url');
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * With a secret, cursors are signed and valid in every process with the same secret. `account`: the account of an accounts
 * file whose cursors these are, so that those of another account are refused.
 */
export function createCursors(secret: string | undefined, account?: string): Cursors {
  const sum = createSum(secret);
  const sumOf: typeof sum = (position, scope) =>
    sum(position, account === undefined ? scope : [`${account} ${scope[0]}`, ...scope.slice(1)]);

  function read<Schema extends z.ZodObject>(shape: Schema, cursor: string, scope: CursorScope, needsSum: boolean) {
    const { sum, ...position } = parse(shape.extend({ sum: sumShape }), cursor) as { sum?: string };
    const isRight = sum === undefined ? !needsSum : isSame(sum, sumOf(position, scope));
    if (isRight) return position as z.output<Schema>;
    throw refuseInput([
      'cursor belongs to another tool or other arguments: pass it unchanged, with the arguments of the previous call',
    ]);
  }

  return {
    write: (position, scope) =>
      Buffer.from(JSON.stringify({ ...position, sum: sumOf(position, scope) })).toString('base64url'),
    read: (shape, cursor, scope) => read(shape, cursor, scope, true),
    readUnsigned: (shape, cursor, scope) => read(shape, cursor, scope, secret !== undefined),
  };
}
