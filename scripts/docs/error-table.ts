import type { ErrorCode } from '../../src/shared/errors.ts';
import { code, table } from './markdown.ts';

interface Words {
  means: string;
  todo: string;
}

/** A code without words does not compile. */
const words: Record<ErrorCode, Words> = {
  invalid_input: {
    means: 'An argument is missing, unknown or out of its limits. Nothing was sent.',
    todo: 'The message names each argument and its limit: correct it and call again.',
  },
  invalid_settings: {
    means: 'A setting is missing or wrong. Told on standard error at the start, never by a tool.',
    todo: 'The message names the setting; see [settings.md](settings.md).',
  },
  unauthorized: {
    means: 'The API answered 401: the key is missing, wrong or of another account.',
    todo: 'Check the key, the address and how the key is sent, then run `doctor`.',
  },
  forbidden: {
    means:
      "The API answered 403: the key is not an admin's, or this admin may not do that. Or the token of an HTTP client has no scope `academy:read`.",
    todo: 'Use the key of an admin who may; give the token the scope.',
  },
  not_found: {
    means: 'The API answered 404: there is no such record.',
    todo: 'Find the right id, slug or email with a list or search tool.',
  },
  invalid_fields: {
    means: 'The API refused fields that this kind of record does not have.',
    todo: 'Use the supported fields, which the answer lists where the API does.',
  },
  unprocessable: {
    means: 'The API refused the request with another 4xx.',
    todo: "Correct what the API's own message names.",
  },
  rate_limited: {
    means: 'The request limit of the account is used up, or the wait for a turn would be too long.',
    todo: 'Wait for the seconds that the message names, or ask for less.',
  },
  api_unavailable: {
    means:
      'The API could not be reached (nothing was sent), or a read failed with 5xx or a broken connection. It was tried again where that can help.',
    todo: 'Try again in a minute; check the address if it never worked.',
  },
  timeout: {
    means: 'A read got no answer in time, further tries included.',
    todo: 'Try again, or raise `ACADEMY_TIMEOUT_MS`.',
  },
  outcome_unknown: {
    means: 'A write was sent, looking did not show its effect, and nothing proves that it was not done.',
    todo: 'Do not repeat it. First look with the tool that the message names.',
  },
  unexpected_response: {
    means: 'The answer is not what the API answers: a web page, a redirect, another shape.',
    todo: 'Check that `ACADEMY_BASE_URL` is the address of the account.',
  },
  not_applied: {
    means:
      'A create was not sent: a record of that name, or a grant of the last minutes, is there already; or nobody of a list is left to enroll.',
    todo: 'Look at it. If it is what was wanted, it is done; else change it, or create under another name.',
  },
  ambiguous_product: {
    means: 'Several products fit the title, slug or id that was asked about; the message lists them.',
    todo: 'Call again with the exact title or slug, or with the id and `product_type`.',
  },
  stale_version: {
    means:
      'The course has changed since the outline was planned, and the message tells the difference; or another change of it is under way. Nothing was written.',
    todo: 'Plan anew with `plan_course_outline`, and show the new plan.',
  },
  confirmation_required: {
    means:
      'The tool is destructive, enrolls many or restructures a course, or the server runs under lockdown, and `confirm` is missing or not good. Nothing was changed.',
    todo: 'Show the message to a person, and call again only if they agree.',
  },
  declined: {
    means:
      'A person was asked and did not agree, or the policy of `ACADEMY_CONFIRM` (`block`, or `human` where the client cannot ask) forbids it. Nothing was changed.',
    todo: 'Leave it, unless the person asks for it again; whoever runs the server can change the policy.',
  },
  read_only: {
    means: 'The token of this HTTP client has no scope for that write. Nothing was sent.',
    todo: 'The message names the scope; only the one who gave out the token can add it.',
  },
  cancelled: {
    means: 'The client cancelled the call, or the server is ending. A write that had left is finished all the same.',
    todo: 'Look whether a write was done before it is repeated.',
  },
  internal: {
    means: 'A mistake of this program. Its log, on standard error, says more.',
    todo: 'Check what a write did before it is repeated, and report the mistake.',
  },
};

/** docs/answers-and-errors.md: "Errors". */
export function errorTable(): string {
  const rows = Object.entries(words).map(([name, { means, todo }]) => [code(name), means, todo]);
  return table(['Code', 'What it means', 'What to do'], rows);
}
