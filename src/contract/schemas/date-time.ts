import * as z from 'zod';
import { withFormat } from './field-format.ts';
import { limitedText } from './input-fields.ts';

const isoDate = z.iso.date();
const isoTime = z.iso.datetime({ offset: true, local: true });

const maxDate = 40;
/** Times are computed in nanoseconds, so a tenth digit would be lost. */
const tooFine = /\.\d{10}/;

/**
 * True for a calendar day ("2026-02-28") or a time, with or without offset ("2026-02-28T09:30:00Z"). At most 40 characters
 * and 9 digits after the decimal point.
 */
export function isDateOrTime(value: string): boolean {
  if (value.length > maxDate || tooFine.test(value)) return false;
  return isoDate.safeParse(value).success || isoTime.safeParse(value).success;
}

function dateLike(message: string, description: string) {
  const time = limitedText(maxDate)
    .refine((value) => !tooFine.test(value), { error: 'must have at most 9 digits after the point', abort: true })
    .refine(isDateOrTime, message)
    .describe(description);
  return withFormat('time', time);
}

export function dateOrTime(description: string) {
  return dateLike('must be an ISO 8601 date or time such as "2026-02-28" or "2026-02-28T09:30:00Z"', description);
}

export function timestamp(description: string) {
  return dateLike('must be an ISO 8601 timestamp such as "2026-02-28T09:30:00Z"', description);
}
