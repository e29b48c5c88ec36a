import { type FoundBuyer, type FoundBuyers, usualCurrency } from '../../src/insights/sales/find-buyers.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { asValue } from '../../src/shared/quote-text.ts';
import type { CheckedHolders } from '../../src/workflows/sales/check-people.ts';
import type { Coverage } from '../../src/workflows/sales/coverage.ts';
import { definedFields } from '../defined-fields.ts';
import type { Scope } from './find-buyers-question.ts';
import {
  clockNote,
  emptyNote,
  futureNote,
  nameLine,
  noteOf,
  peopleText,
  replacedNote,
  rowTotalNote,
  titleNote,
  totalsFacts,
  totalsText,
  uncheckedNote,
} from './sales-output.ts';

// The totals and the notes of find_buyers.

/** The most people with an order of amount 0 whom the first answer names. */
const maxGranted = 3;

/** The people whose orders of amount 0 were left out: names, or emails if they have none. */
export function grantedFacts({ granted }: FoundBuyers) {
  const named = granted.slice(0, maxGranted).flatMap(({ email, name }) => nameLine(name) ?? nameLine(email) ?? []);
  return definedFields({
    granted_to: named.length > 0 ? named : undefined,
    granted_more: granted.length > maxGranted ? granted.length - maxGranted : undefined,
  });
}

/** The people and sums of the first line, and of `totals`. */
export function totalsView({ totals, alone }: FoundBuyers, { question, check }: Scope, bound: string | undefined) {
  const unchecked = check === undefined || check.unchecked.size === 0 ? undefined : check.unchecked.size;
  if (question.granted === 'only') {
    const { orders, buyers: holders } = totals;
    const people = holders === 1 ? '1 person' : `${holders} people`;
    return {
      people: `${bound === undefined ? '' : `${bound} `}${people} with ${counted(orders, 'order')} of amount 0 (granted, free or a coupon)`,
      sums: '',
      facts: definedFields({ counts_are: bound, holders, unchecked, orders, granted: orders }),
    };
  }
  const { granted, products } = question;
  const shown = { include_granted: granted, alone, products: products.length, sums: 'order_total', bound } as const;
  const { counts_are, buyers, ...others } = totalsFacts(totals, shown);
  const atMost = unchecked === undefined ? '' : `, ${unchecked} of them unchecked,`;
  return {
    people: `${peopleText(totals, shown)}${atMost}`,
    sums: `: ${totalsText(totals, shown)}`,
    facts: { ...definedFields({ counts_are, buyers, unchecked }), ...others },
  };
}

/** What was checked about the products that a buyer should not hold. */
function withoutNotes(check: CheckedHolders | undefined, isUnread: boolean): string[] {
  if (isUnread) return ['without: only orders of the pages read were checked, so the number will fall'];
  if (check === undefined) return [];
  return [
    `without: all orders of ${counted(check.checked, 'buyer')} were checked, also outside the period`,
    ...(check.unchecked.size > 0 ? [uncheckedNote(check, 'hold it by an order outside the period')] : []),
  ];
}

export function notesOf(
  { buyers, totals }: FoundBuyers,
  { place, question, scan, check, context }: Scope,
  coverage: Coverage,
): string | undefined {
  const { products, without } = question;
  const { statuses } = scan.question();
  const isUnread = coverage.pages_left !== undefined;
  const isRanked = question.sort === 'products' || question.sort === 'amount';
  return noteOf(
    replacedNote(place),
    futureNote(scan),
    clockNote(context),
    emptyNote(totals.orders, scan.orders().length, statuses),
    products.length > 0 && buyers.length > 0 && question.granted !== 'only' ? rowTotalNote(products.length) : undefined,
    titleNote(coverage),
    question.sort === 'amount' ? sortNote(buyers) : undefined,
    isRanked && isUnread ? 'orders that are not read yet can change who comes first' : undefined,
    ...withoutNotes(check, without.length > 0 && isUnread),
    products.length === 0 && buyers.length > 0 ? 'a bundle is one product, without its contents' : undefined,
  );
}

/** Sums of several currencies cannot be compared. */
function sortNote(buyers: readonly FoundBuyer[]): string | undefined {
  const currency = usualCurrency(buyers);
  const isOnly = buyers.every(({ revenue }) => Object.keys(revenue).every((one) => one === currency));
  return isOnly || currency === undefined
    ? undefined
    : `sorted by the sum in ${asValue(currency)}; buyers without one come last`;
}
