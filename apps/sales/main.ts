import type { Json } from '../../src/shared/json.ts';
import { button, choice } from '../shared/dom.ts';
import { createLock } from '../shared/lock.ts';
import { openPage, type Page, type PageEvents } from '../shared/page.ts';
import { dataOf } from '../shared/result.ts';
import { heightLimit } from '../shared/theme.ts';
import { counted, grouped } from '../shared/values.ts';
import { type Answer, calendarGroups, readAnswer } from './answer.ts';
import { barList } from './bars.ts';
import { type Bar, columnChart } from './columns.ts';
import { changed, custom, groupings, periodChoices, periodOf } from './question.ts';
import { nameOf, salesTable } from './table.ts';

/** The bars count orders instead of revenue. */
const byOrders = 'orders';

function createView(page: Page): PageEvents {
  const alone = createLock();
  let args: Json = {};
  let answer: Answer | undefined;
  let measure = '';
  let isTable = false;
  /** Answers of earlier questions are dropped. */
  let asked = 0;

  function barsOf({ groups, groupBy }: Answer): Bar[] {
    const isCalendar = calendarGroups.includes(groupBy);
    const isOneYear = groupBy !== 'month' && new Set(groups.map(({ key }) => key.slice(0, 4))).size === 1;
    // Time runs from left to right, however the question sorts the groups.
    const inOrder = isCalendar ? groups.toSorted((one, other) => one.key.localeCompare(other.key)) : groups;
    return inOrder.map((group) => {
      const amount = group.revenue[measure] ?? '0';
      const orders = counted(group.orders, 'order');
      return {
        label: isCalendar ? group.key : nameOf(group, false),
        short: isOneYear ? group.key.slice(5) : group.key,
        value: measure === byOrders ? group.orders : Number(amount),
        text: measure === byOrders ? orders : `${grouped(amount)} ${measure}`,
        detail: measure === byOrders ? '' : orders,
        isPartial: group.isPartial,
      };
    });
  }

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
      page.content(columnChart(barsOf(shown), title, { width, height: chartHeight() }));
    } else {
      const list = barList(page.host, barsOf(shown), title);
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
