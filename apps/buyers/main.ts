import type { Json } from '../../src/shared/json.ts';
import { button, element } from '../shared/dom.ts';
import { createLock, dataOf, openPage, type Page, type PageEvents } from '../shared/page.ts';
import { createTable, type Table } from '../shared/table.ts';
import { dayOf, grouped, minuteOf, sumsText } from '../shared/values.ts';
import { type Answer, type Buyer, readAnswer } from './answer.ts';
import { copy, csvOf } from './csv.ts';
import { type Profile, readProfile } from './profile.ts';

/** The largest part of an answer that the tool gives. */
const largestPart = 500;

const amountOf = ({ total }: Buyer) => Number(Object.values(total)[0] ?? 0);

/** The date has a column of its own if the page is wide. */
function secondLine(alone: Buyer['alone'], lastOrder: string): Node | string {
  const date = element('span', { class: 'narrow' }, dayOf(lastOrder));
  return alone === undefined ? date : `this alone ${sumsText(alone)}`;
}

function buyersTable(page: Page, open: (buyer: Buyer) => void): Table<Buyer> {
  const { host } = page;
  const nameOf = (buyer: Buyer) => {
    const label = buyer.name || buyer.email || 'No name';
    const canOpen = host.canCallTools && buyer.email !== '';
    return canOpen ? button(label, () => open(buyer), { class: 'link', id: `open-${buyer.email}` }) : label;
  };
  return createTable<Buyer>({
    host,
    caption: 'Buyers',
    empty: 'No buyer matches.',
    columns: [
      {
        key: 'name',
        title: 'Buyer',
        cell: (buyer) => [nameOf(buyer), buyer.name === '' ? '' : buyer.email],
        compare: (one, other) => (one.name || one.email).localeCompare(other.name || other.email),
      },
      {
        key: 'orders',
        title: 'Orders',
        isWide: true,
        isNumber: true,
        cell: ({ orders, granted }) => [String(orders), granted > 0 ? `${granted} granted` : ''],
        compare: (one, other) => one.orders - other.orders,
      },
      {
        key: 'total',
        title: 'Total',
        isNumber: true,
        cell: ({ total, alone, lastOrder }) => [sumsText(total), secondLine(alone, lastOrder)],
        compare: (one, other) => amountOf(one) - amountOf(other),
      },
      {
        key: 'last',
        title: 'Last order',
        isWide: true,
        cell: ({ lastOrder, via, products }) => [minuteOf(lastOrder), via === '' ? products.join(', ') : `in ${via}`],
        compare: (one, other) => one.lastOrder.localeCompare(other.lastOrder),
      },
    ],
  });
}

function createView(page: Page): PageEvents {
  const alone = createLock();
  let args: Json | undefined;
  let answer: Answer | undefined;
  let buyers: readonly Buyer[] = [];
  let profile: Profile | undefined;
  const table = buyersTable(page, open);
  const filter = element('input', {
    type: 'search',
    placeholder: 'Filter by name or email',
    'aria-label': 'Filter by name or email',
    oninput: () => showRows(),
  });

  function matching(): readonly Buyer[] {
    const wanted = filter.value.trim().toLocaleLowerCase();
    return buyers.filter(({ name, email }) => `${name} ${email}`.toLocaleLowerCase().includes(wanted));
  }

  function showRows(isMore = false): void {
    table.show(matching(), isMore);
  }

  function more(): Node | undefined {
    if (answer?.cursor === undefined || args === undefined || !page.host.canCallTools) return undefined;
    return button('Load more', () => void alone(loadMore), { id: 'more' });
  }

  function notes(): string[] {
    const { count = 0, notes: own = [] } = answer ?? {};
    const part =
      buyers.length < count
        ? [
            `${grouped(String(buyers.length))} of ${grouped(String(count))} buyers loaded; sorting, filter and copy use these.`,
          ]
        : [];
    return [...part, ...own];
  }

  function draw(isMore = false): void {
    if (profile !== undefined) drawProfile(profile);
    else if (answer !== undefined) drawBuyers(answer, isMore);
  }

  function drawBuyers(answer: Answer, isMore: boolean): void {
    page.title(answer.heading, answer.summary);
    page.controls(
      filter,
      button('Copy as CSV', () => void copyRows(), { id: 'copy' }),
      more(),
    );
    page.notes(...notes());
    page.content(table.element);
    showRows(isMore);
  }

  function drawProfile({ heading, summary, notes: own, table: holdings }: Profile): void {
    page.title(heading, summary);
    page.controls(button('Back to the buyers', back, { id: 'back' }));
    page.notes(...own);
    page.content(holdings.element);
    holdings.draw();
  }

  function receive(next: Answer): void {
    buyers = next.isReplacing || answer === undefined ? next.buyers : [...buyers, ...next.buyers];
    answer = next;
    draw(true);
    page.say(`${grouped(String(buyers.length))} buyers loaded`);
  }

  async function loadMore(): Promise<void> {
    await page.during('Loading more buyers', async () => {
      const given = { ...args, cursor: answer?.cursor, limit: largestPart };
      receive(readAnswer(dataOf(await page.host.callTool('find_buyers', given))));
    });
  }

  async function copyRows(): Promise<void> {
    const rows = table.rows();
    const isCopied = await copy(csvOf(rows));
    page.say(isCopied ? `${grouped(String(rows.length))} rows copied` : 'The client does not allow copying');
  }

  function open(buyer: Buyer): void {
    void page.during(`Loading ${buyer.email}`, async () => {
      const data = dataOf(await page.host.callTool('student_profile', { email: buyer.email }));
      profile = readProfile(data, buyer.email, page.host);
      draw();
      page.say('');
      document.getElementById('back')?.focus();
    });
  }

  function back(): void {
    profile = undefined;
    draw();
    filter.focus();
  }

  return {
    onInput: (given) => {
      args = given;
    },
    onResult: (result) => {
      answer = undefined;
      void page.during('', async () => receive(readAnswer(dataOf(result))));
    },
    onResize: () => (profile === undefined ? draw(true) : profile.table.draw()),
  };
}

void openPage('buyers', createView);
