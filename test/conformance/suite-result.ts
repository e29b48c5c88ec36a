/** How a run of the suite went, as a process. */
export interface Course {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly output: string;
}

/** 1 says that a scenario failed; which one, and whether that matters, its checks say. */
const orderlyCodes: readonly (number | null)[] = [0, 1];

/**
 * The scenarios that the suite has begun, by its own words. Throws where it did not get to the end of those that it had
 * announced: what was not tried has no failures either.
 */
export function scenariosOf({ code, output }: Course): string[] {
  const announced = /^Running .* \((\d+) scenarios\)/m.exec(output)?.[1];
  const begun = [...output.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map(([, name = '']) => name);
  const isWhole = begun.length > 0 && begun.length === Number(announced) && /^=== SUMMARY ===$/m.test(output);
  if (isWhole && orderlyCodes.includes(code)) return begun;
  throw new Error(`the suite ended with code ${code} after ${begun.length} of ${announced ?? 'unknown'} scenarios`);
}
