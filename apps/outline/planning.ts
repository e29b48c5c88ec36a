import type { Page } from '../shared/page.ts';
import { makePlan } from './server.ts';
import { isWished, type State, wantCurrent } from './state.ts';
import type { Target } from './target.ts';
import { planText } from './words.ts';

/** How long the view waits for the next move before it asks for a plan, in milliseconds. */
const pause = 600;

export interface Drawing {
  /** Draws everything. `isNew`: from the first change on. */
  all(isNew?: boolean): void;
  /** Draws everything but the course. */
  frame(): void;
}

export interface Planning {
  /** A new order, moved by the person: a plan follows as soon as they pause. */
  want(target: Target): void;
  planNow(): Promise<void>;
  discard(): void;
}

export function createPlanning(page: Page, state: State, draw: Drawing): Planning {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Plans of earlier wishes are dropped. */
  let wished = 0;

  function startOver(): void {
    clearTimeout(timer);
    wished += 1;
    Object.assign(state, { plan: undefined, notices: [] });
  }

  async function planNow(): Promise<void> {
    const mine = wished;
    await page.during('Making a plan', async () => {
      if (state.course === undefined) return;
      const made = await makePlan(page.host, state.course.id, state);
      if (mine !== wished) return;
      state.plan = made;
      draw.all();
      page.say(planText(made));
    });
  }

  return {
    planNow,
    want: (target) => {
      startOver();
      state.target = target;
      if (isWished(state)) timer = setTimeout(() => void planNow(), pause);
      draw.frame();
    },
    discard: () => {
      if (state.course === undefined) return;
      startOver();
      wantCurrent(state, state.course);
      page.fail('');
      draw.all(true);
      page.say('The plan was discarded');
    },
  };
}
