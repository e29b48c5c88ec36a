/**
 * How many cases a property tries: a tenth of them with `npm test`, all of them in the longer forms (`npm run test:extra` sets
 * LONG_TESTS).
 */
export function runsOf(whole: number): number {
  return process.env.LONG_TESTS === undefined ? Math.ceil(whole / 10) : whole;
}
