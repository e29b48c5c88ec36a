import type { Json } from '../../src/shared/json.ts';
import { dataOf } from './bridge.ts';
import { button } from './dom.ts';
import type { Page } from './page.ts';

/** An answer, or a part of one that a cursor goes on with. */
interface Part {
  readonly rows: readonly unknown[];
  readonly cursor: string | undefined;
  /** Its rows replace those of the part before. */
  readonly isReplacing: boolean;
}

/** The answer that a view shows, with the rows of all loaded parts. `forMore`: arguments of a call for more rows. */
export function createAnswer<Answer extends Part>(
  page: Page,
  tool: string,
  read: (data: Json) => Answer,
  show: (answer: Answer) => void,
  forMore: Json = {},
) {
  let args: Json = {};
  let shown: Answer | undefined;
  let lastQuestion = 0;

  function take(next: Answer, newArgs: Json): void {
    args = newArgs;
    shown = next;
    show(next);
  }

  /** Calls the tool, and uses its answer unless another question was asked meanwhile. */
  async function call(newArgs: Json, use: (next: Answer) => void): Promise<void> {
    const mine = lastQuestion;
    const next = read(dataOf(await page.host.callTool(tool, newArgs)));
    if (mine === lastQuestion) use(next);
  }

  function loadMore(): Promise<void> {
    const before = shown?.rows ?? [];
    return call({ ...args, ...forMore, cursor: shown?.cursor }, (next) =>
      take(next.isReplacing ? next : { ...next, rows: [...before, ...next.rows] }, args),
    );
  }

  function ask(message: string, newArgs: Json, use = (next: Answer) => take(next, newArgs)): void {
    lastQuestion += 1;
    void page.during(message, () => call(newArgs, use));
  }

  return {
    args: () => args,
    shown: () => shown,
    /** Shows what the assistant's call returned. */
    receive: (data: Json, newArgs: Json) => take(read(data), newArgs),
    /** Asks another question in place of the last one. `use`: what to do with its answer instead of showing it. */
    ask,
    moreButton: (): Node | undefined => {
      if (shown?.cursor === undefined || !page.host.canCallTools) return undefined;
      return button('Load more', () => void page.press('Loading more', loadMore), { id: 'more' });
    },
  };
}
