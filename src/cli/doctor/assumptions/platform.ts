import { knownVersion } from '../../../api/platform.ts';
import { oneLine } from '../../../shared/clean-text.ts';
import type { Assumption } from '../assumption.ts';
import { differs, holds } from '../value-shapes.ts';

/** A smaller difference changes no answer. Milliseconds. */
const smallestDifference = 60_000;

export const platformAssumptions: readonly Assumption[] = [
  {
    id: 'platform.version',
    statement: `Answers carry X-API-Version ${knownVersion}.`,
    undocumented: 'Versioning: documented; no policy for other versions',
    fallback: 'read: used as it is; the log names the version',
    impact: 'the platform may differ from the document in any point; compare answers with the platform',
    check: ({ platform: { apiVersion, hasAnswered } }) => {
      if (!hasAnswered) return undefined;
      if (!apiVersion) return differs('answers name no version');
      if (apiVersion === knownVersion) return holds;
      return differs(`the version is ${oneLine(apiVersion, 40)}`);
    },
  },
  {
    id: 'platform.clock',
    statement: "The server's clock (Date header) is at most a minute from the clock here.",
    undocumented: 'nothing is said about clocks',
    fallback: "read: the difference is measured, and the server's clock counts",
    impact: '"today" and "last week" may miss the newest orders or posts',
    check: ({ platform: { clockDifferenceMs: difference } }) => {
      if (difference === undefined) return differs('answers carry no Date header');
      if (Math.abs(difference) <= smallestDifference) return holds;
      const minutes = Math.round(Math.abs(difference) / smallestDifference);
      return differs(`the server is ${minutes} min ${difference > 0 ? 'ahead' : 'behind'}`, true);
    },
  },
];
