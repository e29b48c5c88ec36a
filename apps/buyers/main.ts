import { type CsvCell, csvRow, csvRowEnd } from '../../src/shared/csv.ts';
import type { Json } from '../../src/shared/json.ts';
import { createAnswer } from '../shared/answer.ts';
import { dataOf } from '../shared/bridge.ts';
import { button, element } from '../shared/dom.ts';
import { openPage, type Page, type ShowAnswer } from '../shared/page.ts';
import { createTable, type Table } from '../shared/table.ts';
import {
  compareSums,
  dayOf,
  grouped,
  isReplacing,
  minuteOf,
  notesText,
  number,
  record,
  rowsIn,
  summaryText,
  sums,
  sumsIn,
  sumsText,
  text,
  texts,
} from '../shared/values.ts';
import { type Profile, readProfile } from './profile.ts';

/** The largest part of an answer that the tool gives. */
const largestPart = 500;

function createView(page: Page): ShowAnswer {
  let showsProfile = false;
  const table = buyersTable(page, open, () => answer.shown()?.currency ?? '');
  const answer = createAnswer(page, 'find_buyers', readAnswer, show, { limit: largestPart });
  const filter = element('input', {
    type: 'search',
    placeholder: 'Filter',
    'aria-label': 'Filter by name or email',
    oninput: () => showRows(),
  });

  function showRows(isMore = false): void {
    const wanted = filter.value.trim().toLocaleLowerCase();
    const fits = ({ name, email }: Buyer) => `${name} ${email}`.toLocaleLowerCase().includes(wanted);
    table.show(answer.shown()?.rows.filter(fits) ?? [], isMore);
  }

  function notes({ rows, count, notes: own }: Answer): string[] {
    const loaded = `${grouped(String(rows.length))} of ${grouped(String(count))} buyers loaded`;
    return [...(rows.length < count ? [`${loaded}; sorting, filter and copy use these.`] : []), ...own];
  }

  function draw(shown: Answer, isMore = false): void {
    page.title(shown.heading, shown.summary);
    page.controls(
      filter,
      button('Copy as CSV', () => void copyRows(), { id: 'copy' }),
      answer.moreButton(),
    );
    page.notes(notes(shown));
    page.content(table.element);
    showRows(isMore);
  }

  function show(shown: Answer): void {
    if (!showsProfile) draw(shown, true);
    page.say(`${grouped(String(shown.rows.length))} buyers loaded`);
  }

  async function copyRows(): Promise<void> {
    const rows = table.rows();
    const isCopied = await copy(csvOf(rows));
    page.say(isCopied ? `${grouped(String(rows.length))} rows copied` : 'The client does not allow copying');
  }

  function open({ email }: Buyer): void {
    void page.press(`Loading ${email}`, async () => {
      showProfile(readProfile(dataOf(await page.host.callTool('student_profile', { email })), email));
    });
  }

  function showProfile({ heading, summary, notes: own, table: holdings }: Profile): void {
    showsProfile = true;
    page.title(heading, summary);
    page.controls(button('Back to the buyers', back, { id: 'back' }));
    page.notes(own);
    page.content(holdings.element);
    page.say('');
    document.getElementById('back')?.focus();
  }

  function back(): void {
    showsProfile = false;
    const shown = answer.shown();
    if (shown !== undefined) draw(shown);
    filter.focus();
  }

  return (data, args) => {
    showsProfile = false;
    answer.receive(data, args);
  };
}

function csvOf(buyers: readonly Buyer[]): string {
  const currencies = [...new Set(buyers.flatMap(({ total }) => Object.keys(total)))].sort();
  const sums = currencies.map((one) => `order_total_${one}`);
  const head = ['email', 'name', 'orders', ...sums, 'last_order_at', 'via', 'products'];
  const rows = buyers.map(({ email, name, orders, total, lastOrder, via, products }): CsvCell[] => [
    email,
    name,
    orders,
    ...currencies.map((currency) => total[currency]),
    lastOrder,
    via,
    products.join('; '),
  ]);
  return [head, ...rows].map(csvRow).join('').slice(0, -csvRowEnd.length);
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'status';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}

/** Copies a text. Some clients refuse the clipboard to views: then the older way may still work. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** The date has a column of its own if the page is wide. */
function secondLine(alone: Buyer['alone'], lastOrder: string): Node | string {
  const date = element('span', { class: 'narrow' }, dayOf(lastOrder));
  return alone === undefined ? date : `this alone ${sumsText(alone)}`;
}

/** A name opens the profile, if the client lets views call tools. `currency`: that of most sums. */
function buyersTable({ host }: Page, open: (buyer: Buyer) => void, currency: () => string): Table<Buyer> {
  const nameCell = (buyer: Buyer) => {
    const label = buyer.name || buyer.email || 'No name';
    if (!host.canCallTools || buyer.email === '') return label;
    return button(label, () => open(buyer), { class: 'link', id: `open-${buyer.email}` });
  };
  return createTable<Buyer>({
    caption: 'Buyers',
    empty: 'No buyer matches.',
    columns: [
      {
        title: 'Buyer',
        cell: (buyer) => [nameCell(buyer), buyer.name === '' ? '' : buyer.email],
        compare: (one, other) => (one.name || one.email).localeCompare(other.name || other.email),
      },
      {
        title: 'Orders',
        isWide: true,
        isNumber: true,
        cell: ({ orders, granted }) => [String(orders), granted > 0 ? `${granted} granted` : ''],
        compare: (one, other) => one.orders - other.orders,
      },
      {
        title: 'Total',
        isNumber: true,
        cell: ({ total, alone, lastOrder }) => [sumsText(total), secondLine(alone, lastOrder)],
        compare: (one, other) => compareSums(one.total, other.total, currency()),
      },
      {
        title: 'Last order',
        isWide: true,
        cell: ({ lastOrder, via, products }) => [minuteOf(lastOrder), via === '' ? products.join(', ') : `in ${via}`],
        compare: (one, other) => one.lastOrder.localeCompare(other.lastOrder),
      },
    ],
  });
}

function buyerOf(row: Json, titles: Json, currency: string) {
  return {
    email: text(row.email) ?? '',
    name: text(row.name) ?? '',
    // One order is the usual number, which rows leave out.
    orders: number(row.orders) ?? 1,
    granted: number(row.granted) ?? 0,
    total: sumsIn(row.amount, currency),
    alone: row.alone_total === undefined ? undefined : sumsIn(row.alone_total, currency),
    lastOrder: text(row.last_order_at) ?? text(row.date) ?? '',
    via: text(row.via) ?? '',
    products: texts(row.products).map((ref) => text(titles[ref]) || ref),
  };
}

type Buyer = ReturnType<typeof buyerOf>;

function headingOf({ product, products, match }: Json): string {
  const title = text(record(product).title) ?? text(record(product).id);
  if (title !== undefined) return `Buyers of ${title}`;
  const titles = Object.values(record(products)).map(String);
  return titles.length > 0 ? `Buyers of ${match === 'all' ? 'all' : 'any'} of ${titles.join(', ')}` : 'Buyers';
}

function notesOf(data: Json): string[] {
  const alone = sumsText(sums(record(data.totals).alone_total));
  return [
    ...notesText(data),
    ...(alone === '' ? [] : [`"This alone": orders of this product alone, ${alone} in all.`]),
  ];
}

function readAnswer(data: Json) {
  const { totals } = data;
  const titles = { ...record(data.products), ...record(data.titles) };
  const rows = rowsIn(data, 'buyers').map((row) => buyerOf(row, titles, text(data.currency) ?? ''));
  const { holders, buyers: paying } = record(totals);
  return {
    heading: headingOf(data),
    summary: summaryText(data, sums(record(totals).order_total)),
    rows,
    /** The number of buyers in all parts of the answer. */
    count: Math.max(number(holders) ?? number(paying) ?? 0, rows.length),
    /** Of most sums. */
    currency: text(data.currency) ?? '',
    cursor: text(data.next_cursor),
    notes: notesOf(data),
    isReplacing: isReplacing(data),
  };
}

type Answer = ReturnType<typeof readAnswer>;

void openPage('buyers', createView);
