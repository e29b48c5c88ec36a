import * as z from 'zod';
import { limitedText } from '../../src/contract/schemas/input-fields.ts';
import { isTimeZone } from '../../src/insights/calendar.ts';
import { periodNames } from '../../src/insights/period.ts';

/** A name, title, email or the like. */
export const shortText = () => limitedText(255);

export const timezoneArgument = limitedText(64)
  .refine(isTimeZone, 'must be an IANA time zone such as "Europe/Lisbon"')
  .optional();

export const periodArgument = z.enum(periodNames).optional();
