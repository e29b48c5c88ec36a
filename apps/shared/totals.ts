import type { Json } from '../../src/shared/json.ts';
import { counted, minuteOf, noteIn, number, periodText, record, type Sums, sumsText, text } from './values.ts';

// The totals and notes of an answer about sales: the same for buyers and for groups.

/** "at least 3 buyers"; empty if the answer has no such count. */
function countText({ counts_are }: Json, count: unknown, one: string): string {
  const bound = text(counts_are);
  return typeof count === 'number' ? `${bound === undefined ? '' : `${bound} `}${counted(count, one)}` : '';
}

/** "Incomplete: 3 buyers · 4 orders · 99.00 USD · 2026-11-01 to 2026-11-22". */
export function summaryText({ totals, period, coverage }: Json, sums: Sums): string {
  const { buyers, holders, orders, ...others } = record(totals);
  const parts = [
    countText(others, buyers, 'buyer'),
    countText(others, holders, 'holder'),
    countText(others, orders, 'order'),
    sumsText(sums),
    periodText(record(period)),
  ];
  const start = record(coverage).complete === false ? 'Incomplete: ' : '';
  return start + parts.filter((part) => part !== '').join(' · ');
}

/** When the answer was read, and whether from the mirror. */
function asOfText({ as_of, new_up_to, changes_as_of, source }: Json): string[] {
  const [time, newest, changes] = [as_of, new_up_to, changes_as_of].map((one) => minuteOf(text(one)));
  const times = newest === '' ? `as of ${time} UTC` : `new orders up to ${newest} UTC, changes as of ${changes} UTC`;
  if (time === '' && newest === '') return [];
  return [
    source === undefined ? `${times.charAt(0).toUpperCase()}${times.slice(1)}.` : `From the ${source}, ${times}.`,
  ];
}

/** What the figures leave out. */
export function notesText({ note, totals, coverage }: Json): string[] {
  const excluded = number(record(totals).granted_excluded) ?? 0;
  const left = number(record(coverage).pages_left) ?? 0;
  return [
    ...(left > 0 ? [`${counted(left, 'page')} of orders not read yet: load more to read on.`] : []),
    ...(excluded > 0 ? [`${counted(excluded, 'order')} of amount 0 (granted, free or a coupon) not counted.`] : []),
    ...noteIn(note),
    ...asOfText(record(coverage)),
  ];
}

/** Whether the rows replace those of the part before, by the sentence with which the server says so. */
export const isReplacing = ({ note }: Json): boolean =>
  text(note)?.includes('this answer replaces the one before') === true;
