import type { Frame } from 'playwright-core';

export interface Scrolled {
  /** The rows of the table, seen or not. */
  rows: number;
  /** Milliseconds between two frames while the table scrolls from one end to the other, ascending. */
  frames: number[];
}

/** Scrolls a table on the full screen through all its rows, a screen at a time, and measures each frame. */
export async function measureScroll(frame: Frame): Promise<Scrolled> {
  return await frame.evaluate(async () => {
    const scroller = document.querySelector('.scroller');
    const table = document.querySelector('table');
    if (scroller === null) throw new Error('the page has no table');
    const frames: number[] = [];
    // No named function: tsx would wrap it in a helper that the browser does not have.
    let last = await new Promise<number>(requestAnimationFrame);
    for (let top = 0; top < scroller.scrollHeight; top += scroller.clientHeight) {
      scroller.scrollTop = top;
      const now = await new Promise<number>(requestAnimationFrame);
      frames.push(now - last);
      last = now;
    }
    const rows = Number(table?.getAttribute('aria-rowcount')) - 1;
    return { rows, frames: frames.sort((one, other) => one - other) };
  });
}
