import type { Json } from '../../src/shared/json.ts';
import { button, element } from '../shared/dom.ts';
import { createLock } from '../shared/lock.ts';
import { openPage, type Page, type PageEvents } from '../shared/page.ts';
import { dataOf } from '../shared/result.ts';
import { grouped } from '../shared/values.ts';
import { type Answer, type Buyer, readAnswer } from './answer.ts';
import { copy, csvOf } from './csv.ts';
import { type Profile, readProfile } from './profile.ts';
import { buyersTable } from './table.ts';

/** The largest part of an answer that the tool gives. */
const largestPart = 500;

function createView(page: Page): PageEvents {
  const alone = createLock();
  const opening = createLock();
  let args: Json | undefined;
  let answer: Answer | undefined;
  let buyers: readonly Buyer[] = [];
  let profile: Profile | undefined;
  const table = buyersTable(page, { open, currency: () => answer?.currency ?? '' });
  const filter = element('input', {
    type: 'search',
    placeholder: 'Filter',
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
    page.notes(notes());
    page.content(table.element);
    showRows(isMore);
  }

  function drawProfile({ heading, summary, notes: own, table: holdings }: Profile): void {
    page.title(heading, summary);
    page.controls(button('Back to the buyers', back, { id: 'back' }));
    page.notes(own);
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
    void opening(() => page.during(`Loading ${buyer.email}`, () => load(buyer.email)));
  }

  async function load(email: string): Promise<void> {
    const data = dataOf(await page.host.callTool('student_profile', { email }));
    profile = readProfile(data, email, page.host);
    draw();
    page.say('');
    document.getElementById('back')?.focus();
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
      profile = undefined;
      void page.during('', async () => receive(readAnswer(dataOf(result))));
    },
    onResize: () => (profile === undefined ? draw(true) : profile.table.draw()),
  };
}

void openPage('buyers', createView);
