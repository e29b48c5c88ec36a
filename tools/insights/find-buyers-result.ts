import { rowTimes } from '../../src/insights/row-time.ts';
import { type FoundBuyers, usualCurrency } from '../../src/insights/sales/find-buyers.ts';
import type { Presented } from '../../src/mcp/tool.ts';
import type { Json } from '../../src/shared/json.ts';
import { coverageFirst, coverageOf, firstRow, incompleteText, nextCursor } from '../../src/workflows/sales/coverage.ts';
import { withCut } from '../cut-answer.ts';
import { definedFields } from '../defined-fields.ts';
import { grantedFacts, notesOf, totalsView } from './find-buyers-notes.ts';
import { questionFacts, questionText, rowTitles, type Scope } from './find-buyers-question.ts';
import { columnsOf, type RowView, rowOf } from './find-buyers-rows.ts';
import { outlineOf, shownText } from './find-buyers-text.ts';
import { boundOf, localSalesPeriodText, salesPeriodFacts, withUnchecked } from './sales-output.ts';

/** The answer with the next buyers. If more remain, it has a cursor for them. */
export function presentBuyers(found: FoundBuyers, scope: Scope): Presented {
  const { question, place, scan, check, asked, input, context } = scope;
  const { limit = 50, detail, totals_only = false, statuses } = input;
  const { buyers } = found;
  const [only, ...others] = question.products;
  const read = coverageOf(scan, context, {
    product: others.length === 0 ? only : undefined,
    refs: question.products.map(({ ref }) => ref),
    people: check?.sources,
  });
  const coverage = check === undefined ? read : withUnchecked(read, check, scan.advice);
  const start = firstRow(coverage, place);
  const view: RowView = {
    isFull: detail === 'full',
    isGrantedOnly: question.granted === 'only',
    hasProducts: only === undefined || others.length > 0,
    unchecked: check?.unchecked ?? new Set(),
    currency: usualCurrency(buyers),
    rowTime: rowTimes(place.period.timezone, place.period),
  };
  const columns = columnsOf(buyers, view);
  const page = totals_only ? [] : buyers.slice(start, start + limit);
  const rows = page.map((buyer) => rowOf(buyer, view));
  const bound = boundOf(coverage, {
    isAllRead: read.pages_left === undefined,
    unchecked: check?.unchecked.size,
    mayLose: question.without.length > 0,
  });
  const { people, sums, facts } = totalsView(found, scope, bound);
  const of = `${people} of ${questionText(question)} ${localSalesPeriodText(place)}`;
  const summary = `${incompleteText(coverage)}${of}${sums}.`;
  const total = totals_only ? 0 : buyers.length;
  const cursorOf = (end: number) => nextCursor(coverage, place, asked, { end, total }, context);
  const answer = (count: number) => ({
    summary: summary + shownText(start, count, buyers.length),
    data: coverageFirst(
      definedFields({
        ...questionFacts(question),
        period: salesPeriodFacts(place),
        statuses,
        totals: facts,
        note: notesOf(found, scope, read),
        currency: count > 0 && question.granted !== 'only' ? columns.currency : undefined,
        buyers: count > 0 ? rows.slice(0, count) : undefined,
        titles: rowTitles(page.slice(0, count), question),
        ...(totals_only || start > 0 ? {} : grantedFacts(found)),
        coverage,
        next_cursor: cursorOf(start + count),
      }),
      coverage,
    ),
  });
  const body = (data: Json) => outlineOf(data, coverage, columns, place.period);
  const short = { list: 'buyers', usual: ['amount'] };
  return { ...withCut(answer, rows.length, 'go on with next_cursor'), body, short };
}
