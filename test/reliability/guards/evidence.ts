import type { Guard } from './guard.ts';

const verdict = ['test/api/writes/write-outcome.test.ts'];
const shown = ['test/api/writes/accepted-fields.test.ts'];
const gone = ['test/api/writes/revocation-evidence.test.ts'];
const absence = ['test/api/undefined-if-not-found.test.ts'];

/** What keeps an answer from being believed beyond what it shows. */
export const evidenceGuards: readonly Guard[] = [
  {
    name: 'a 200 that denies a write is not believed to have done it',
    file: 'src/api/writes/write-outcome.ts',
    text: "if (said === 'denied') return 'not_applied';",
    instead: '',
    tests: verdict,
    only: 'denies it',
  },
  {
    name: 'a 2xx that is not JSON proves nothing',
    file: 'src/api/writes/write-outcome.ts',
    text: "if (typeof outcome.body === 'string') return 'outcome_unknown';",
    instead: "if (typeof outcome.body === 'string') return 'applied';",
    tests: verdict,
    only: 'of no write is claimed',
  },
  {
    name: 'the audit log books what the answer shows',
    file: 'src/api/client.ts',
    text: "return writeOutcome === 'applied' && taken(outcome).outcome !== 'applied' ? 'outcome_unknown' : writeOutcome;",
    instead: 'return writeOutcome;',
    tests: shown,
    only: 'the audit log',
  },
  {
    name: 'an update of which the answer shows nothing taken is not applied',
    file: 'src/api/writes/accepted-fields.ts',
    text: "decisive.every((result) => result === 'other' || result === 'unsure')",
    instead: 'decisive.length < 0',
    tests: shown,
    only: 'dropped',
  },
  {
    name: 'another record proves nothing',
    file: 'src/api/writes/fields-in-answer.ts',
    text: ' || isAnother(operation, input, record)',
    instead: '',
    tests: shown,
    only: 'contradicts nothing',
  },
  {
    name: 'a lesson that the API left where it was is not told as written',
    file: 'src/workflows/outline/apply-plan.ts',
    text: 'run.applied.delete(lesson_id);',
    instead: '',
    tests: ['test/tools/courses/outline-ignored.test.ts'],
  },
  {
    name: 'gone is what was seen before, in lists that can be read',
    file: 'src/api/writes/verify/access.ts',
    text: 'return wasListed && isRead ?',
    instead: 'return isWhole && !isCut ?',
    tests: gone,
    only: 'not confirmed',
  },
  {
    name: 'a grant whose time cannot be read is known by when it appeared',
    file: 'src/api/writes/verify/find-grant.ts',
    text: 'order.at === undefined ? hasAppeared(order)',
    instead: 'order.at === undefined ? undefined',
    tests: gone,
    only: 'a repeated grant',
  },
  {
    name: "the age of a grant is told by the server's clock",
    file: 'src/api/client.ts',
    text: 'begun + platform.clockShiftMs() - recentMs',
    instead: 'begun - recentMs',
    tests: gone,
    only: 'clock',
  },
  {
    name: 'only JSON says that there is no such record',
    file: 'src/api/http/errors.ts',
    text: 'if (outcome.status !== 404 || jsonOf(outcome) === undefined) return false;',
    instead: 'if (outcome.status !== 404) return false;',
    tests: absence,
    only: 'no body',
  },
  {
    name: 'a 200 that shows nothing of a record is no empty record',
    file: 'src/api/http/decode.ts',
    text: 'if (!isHeld) throw unexpected(',
    instead: 'if (!isHeld && isHeld) throw unexpected(',
    tests: absence,
    only: 'an empty record',
  },
  {
    name: 'beside an error no list is believed',
    file: 'src/api/http/decode.ts',
    text: 'if (isObject(body) && (isRefused(body) || hasError(body))) throw',
    instead: 'if (isObject(body) && body.x === body) throw',
    tests: absence,
    only: 'an empty list',
  },
  {
    name: 'a page of a proxy is no word about the key',
    file: 'src/api/http/errors.ts',
    text: "status !== 408 && isForeign(outcome)) return 'unexpected_response';",
    instead: "status !== 408 && status < 0) return 'unexpected_response';",
    tests: ['test/api/http/error-body.test.ts'],
    only: 'of a proxy',
  },
];
