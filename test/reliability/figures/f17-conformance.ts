import { runConformance } from '../../conformance/run-suite.ts';
import type { Figure } from '../figure.ts';

/** The suite has no short form, and nothing in it is random. */
export const figure: Figure = {
  id: 'F17',
  title: 'Conformance',
  target: 'every applicable scenario passes',
  run: async () => {
    const verdicts = await runConformance();
    const counted = verdicts.filter(({ leftOut }) => leftOut === undefined);
    const failed = counted.filter(({ problems }) => problems.length > 0);
    const checks = counted.reduce((sum, verdict) => sum + verdict.checks, 0);
    const leftOut = verdicts.length - counted.length;
    return {
      tried: `the ${counted.length} applicable scenarios of the official suites of 2025-11-25 and 2026-07-28, over HTTP`,
      result: `${counted.length - failed.length} of ${counted.length} pass, with ${checks} checks`,
      reached: counted.length > 0 && failed.length === 0,
      details: [
        `${leftOut} scenarios need fixtures or capabilities that this server does not have; test/conformance/run-suite.ts lists them`,
      ],
      failures: failed.map(({ suite, scenario }) => `${suite}: ${scenario}`),
    };
  },
};
