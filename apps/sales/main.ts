import type { Json } from '../../src/shared/json.ts';
import { button, choice } from '../shared/dom.ts';
import { createLock } from '../shared/lock.ts';
import { openPage, type Page, type PageEvents } from '../shared/page.ts';
import { dataOf } from '../shared/result.ts';
import { heightLimit } from '../shared/theme.ts';
import { counted } from '../shared/values.ts';
import { type Answer, calendarGroups, readAnswer } from './answer.ts';
import { barList } from './bars.ts';
import { columnChart } from './columns.ts';
import { barsOf, byOrders } from './measure.ts';
import { changed, custom, groupings, periodChoices, periodOf } from './question.ts';
import { salesTable } from './table.ts';

function createView(page: Page): PageEvents {
  const alone = createLock();
  let args: Json = {};
  let answer: Answer | undefined;
  let measure = '';
  let isTable = false;
  /** Answers of earlier questions are dropped. */
  let asked = 0;

  function draw(): void {
    if (answer === undefined) return;
    page.title(answer.heading, answer.summary);
    page.controls(...controls(answer));
    page.notes(notes(answer));
    drawFigures(answer);
  }

  function notes({ groups, count, notes: own }: Answer): string[] {
    const part = groups.length < count ? [`${groups.length} of ${counted(count, 'group')} loaded.`] : [];
    return [...part, ...own];
  }

  function drawFigures(shown: Answer): void {
    if (isTable || shown.groups.length === 0) drawTable(shown);
    else drawChart(shown, `${measure === byOrders ? 'Orders' : `Revenue in ${measure}`} by ${shown.groupBy}`);
  }

  function drawTable({ groups, groupBy }: Answer): void {
    const table = salesTable(page.host, calendarGroups.includes(groupBy), measure);
    page.content(table.element);
    table.show(groups);
  }

  /** On the full screen, the room that the other parts leave. */
  function chartHeight(): number {
    return heightLimit(page.host.context()) === undefined ? Math.max(210, window.innerHeight - 210) : 210;
  }

  function drawChart(shown: Answer, title: string): void {
    if (calendarGroups.includes(shown.groupBy)) {
      const width = Math.max(240, document.documentElement.clientWidth - 24);
      page.content(columnChart(barsOf(shown, measure), title, { width, height: chartHeight() }));
    } else {
      const list = barList(page.host, barsOf(shown, measure), title);
      page.content(list.element);
      list.draw();
    }
  }

  function controls({ groupBy, currencies, cursor }: Answer): (Node | undefined)[] {
    const canAsk = page.host.canCallTools;
    const period = periodOf(args);
    const measures = [...currencies.map((one) => [one, one] as const), [byOrders, 'Orders'] as const];
    return [
      canAsk ? choice('By', groupings, groupBy, (group_by) => ask({ group_by })) : undefined,
      canAsk
        ? choice('Period', periodChoices(period), period, (value) => value !== custom && ask({ period: value }))
        : undefined,
      choice('In', measures, measure, (value) => {
        measure = value;
        draw();
      }),
      button(isTable ? 'Chart' : 'Table', toggle, { id: 'toggle' }),
      cursor === undefined || !canAsk ? undefined : button('Load more', () => void alone(loadMore), { id: 'more' }),
    ];
  }

  function toggle(): void {
    isTable = !isTable;
    draw();
    document.getElementById('toggle')?.focus();
  }

  function receive(next: Answer): void {
    answer = next;
    if (!next.currencies.includes(measure) && measure !== byOrders) measure = next.currencies[0] ?? byOrders;
    draw();
    page.say(next.summary);
  }

  function ask(change: { period?: string; group_by?: string }): void {
    const given = changed(args, change);
    asked += 1;
    const mine = asked;
    void page.during('Loading', async () => {
      const next = readAnswer(dataOf(await page.host.callTool('sales_report', given)));
      if (mine !== asked) return;
      args = given;
      receive(next);
    });
  }

  async function loadMore(): Promise<void> {
    await page.during('Loading more', async () => {
      const given = { ...args, cursor: answer?.cursor };
      const mine = asked;
      const next = readAnswer(dataOf(await page.host.callTool('sales_report', given)));
      if (mine !== asked) return;
      const groups = next.isReplacing ? next.groups : [...(answer?.groups ?? []), ...next.groups];
      receive({ ...next, groups });
    });
  }

  return {
    onInput: (given) => {
      args = given;
    },
    onResult: (result) => void page.during('', async () => receive(readAnswer(dataOf(result)))),
    onResize: draw,
  };
}

void openPage('sales', createView);
