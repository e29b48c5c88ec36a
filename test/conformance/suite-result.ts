/** The result of one run of the suite as a process. */
interface SuiteProcess {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly output: string;
}

/** 1 means that a scenario failed; its checks tell which one and whether it matters. */
const expectedCodes: readonly (number | null)[] = [0, 1];

/**
 * The scenarios that the suite started, according to its output. Throws if it did not finish all announced scenarios: a
 * scenario that did not run has no failures either.
 */
export function scenariosOf({ code, output }: SuiteProcess): string[] {
  const announced = /^Running .* \((\d+) scenarios\)/m.exec(output)?.[1];
  const begun = [...output.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map(([, name = '']) => name);
  const isWhole = begun.length > 0 && begun.length === Number(announced) && /^=== SUMMARY ===$/m.test(output);
  if (isWhole && expectedCodes.includes(code)) return begun;
  throw new Error(`the suite ended with code ${code} after ${begun.length} of ${announced ?? 'unknown'} scenarios`);
}
