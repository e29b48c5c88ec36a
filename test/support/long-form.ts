/** Whether the longer forms run: `npm run test:extra` sets LONG_TESTS. */
export const isLong = process.env.LONG_TESTS !== undefined;

/** How many cases a property tries: a tenth of them with `npm test`, all of them in the longer forms. */
export function runsOf(whole: number): number {
  return isLong ? whole : Math.ceil(whole / 10);
}
