import type * as z from 'zod';
import { AcademyError } from '../errors.ts';

/** Reads what `writeCursor` wrote. Throws `invalid_input` for anything else. */
export function readCursor<Schema extends z.ZodType>(shape: Schema, cursor: string): z.output<Schema> {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    const hint = 'Pass next_cursor of the answer before as it is, or leave cursor out to start anew.';
    throw new AcademyError('invalid_input', 'cursor is not one that this tool gave out', { hint, cause });
  }
}

export function writeCursor(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}
