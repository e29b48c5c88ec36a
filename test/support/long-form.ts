/** Whether the longer forms run: `npm run test:extra` sets LONG_TESTS. */
export const isLong = process.env.LONG_TESTS !== undefined;

/** The number of cases of a property: a tenth with `npm test`, all of them in the longer forms. */
export function runsOf(whole: number): number {
  return isLong ? whole : Math.ceil(whole / 10);
}
