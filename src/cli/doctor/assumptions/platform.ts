import { supportedVersion } from '../../../api/platform.ts';
import { oneLine } from '../../../shared/clean-text.ts';
import type { Assumption } from '../assumption.ts';
import { differs, holds } from '../mask-value.ts';

/** Milliseconds. A smaller difference changes no answer. */
const minDifference = 60_000;

export const platformAssumptions: readonly Assumption[] = [
  {
    id: 'platform.version',
    statement: `Answers have the header X-API-Version: ${supportedVersion}.`,
    undocumented: 'Versioning: documented; no policy for other versions',
    fallback: 'read: used unchanged; the log names the version',
    impact: 'the platform may differ from the document in any point; compare the answers with the platform',
    check: ({ platform: { apiVersion, hasAnswered } }) => {
      if (!hasAnswered) return undefined;
      if (!apiVersion) return differs('answers have no version');
      if (apiVersion === supportedVersion) return holds;
      return differs(`the version is ${oneLine(apiVersion, 40)}`);
    },
  },
  {
    id: 'platform.clock',
    statement: "The server's clock (Date header) differs from the local clock by at most a minute.",
    undocumented: 'clocks are not mentioned',
    fallback: "read: the difference is measured, and the server's clock is used",
    impact: '"today" and "last week" may miss the newest orders or posts',
    check: ({ platform: { clockDifferenceMs: difference } }) => {
      if (difference === undefined) return differs('answers have no Date header');
      if (Math.abs(difference) <= minDifference) return holds;
      const minutes = Math.round(Math.abs(difference) / minDifference);
      return differs(`the server is ${minutes} min ${difference > 0 ? 'ahead' : 'behind'}`, true);
    },
  },
];
