import type { ErrorCode } from '../../src/shared/errors.ts';
import { code, table } from './markdown.ts';

interface Words {
  means: string;
  todo: string;
}

/** A code without words does not compile. */
const words: Record<ErrorCode, Words> = {
  invalid_input: {
    means: 'An argument is missing, unknown or outside its limits. Nothing was sent.',
    todo: 'Correct the arguments that the message names.',
  },
  invalid_settings: {
    means: 'A setting is missing or wrong. Only standard error shows this code, at the start.',
    todo: 'Correct the [setting](settings.md) that the message names.',
  },
  unauthorized: {
    means: 'The API answered 401: the key is missing, wrong or of another account.',
    todo: 'Check the key, the address and how the key is sent, then run `doctor`.',
  },
  forbidden: {
    means:
      "The API answered 403: the key is not an admin's, or this admin may not do that. Or the token of an HTTP client lacks the scope `academy:read` or `academy:data`.",
    todo: 'Use the key of an admin who may do it, or give the token the scope.',
  },
  not_found: {
    means: 'The API answered 404: there is no such record.',
    todo: 'Find the right id, slug or email with a list or search tool.',
  },
  invalid_fields: {
    means: 'The API refused fields that this kind of record does not have.',
    todo: 'Use the supported fields. The answer lists them if the API does.',
  },
  unprocessable: {
    means: 'The API refused the request with another 4xx.',
    todo: "Correct what the API's message names.",
  },
  rate_limited: {
    means: 'The request limit of the account is used up, or the wait for it would be too long.',
    todo: 'Wait for the seconds that the message names, or ask for less.',
  },
  api_unavailable: {
    means: 'The API could not be reached, or a read failed with 5xx or a broken connection after its retries.',
    todo: 'Try again in a minute. Check the address if it has never worked.',
  },
  timeout: {
    means: 'A read got no answer in time, retries included.',
    todo: 'Try again, or raise `ACADEMY_TIMEOUT_MS`.',
  },
  outcome_unknown: {
    means: 'A write was sent, and reading back did not show its effect.',
    todo: 'Do not repeat it. First check with the tool that the message names.',
  },
  unexpected_response: {
    means: 'The answer is not one of the API: a web page, a redirect, another shape.',
    todo: 'Check that `ACADEMY_BASE_URL` is the address of the account.',
  },
  journal_unavailable: {
    means: 'The journal of changes (`ACADEMY_JOURNAL`) cannot be written, so the write was not sent.',
    todo: 'The operator checks the file and the disk. The server log says more.',
  },
  not_applied: {
    means:
      'A create was not sent: a record of that name, or a recent grant, exists already; or no student of a list is left to enroll.',
    todo: 'Look at the record. Change it, or create one with another name.',
  },
  ambiguous_product: {
    means: 'Several products match the title, slug or id. The message lists them.',
    todo: 'Use the exact title or slug, or the id and `product_type`.',
  },
  stale_version: {
    means: 'The course has changed since the plan, or another change of it is in progress. Nothing was written.',
    todo: 'Plan again with `plan_course_outline`, and show the new plan.',
  },
  confirmation_required: {
    means: 'The call needs a [confirmation](safety.md#confirmation). Nothing was changed.',
    todo: 'Show the message to a person, and call again only if they agree.',
  },
  declined: {
    means:
      'A person did not agree, or `ACADEMY_CONFIRM` forbids it (`block`, or `human` if the client cannot ask). Nothing was changed.',
    todo: 'Do not repeat it, unless the person asks for it again.',
  },
  read_only: {
    means: 'The token of this HTTP client has no scope for that write. Nothing was sent.',
    todo: 'Ask the issuer of the token for the scope that the message names.',
  },
  cancelled: {
    means: 'The client cancelled the call, or the server is stopping. A write that has been sent is finished.',
    todo: 'Before you repeat a write, check whether it was done.',
  },
  internal: {
    means: 'A fault of this program. Its log, on standard error, has more.',
    todo: 'Before you repeat a write, check what it did. Please report the fault.',
  },
};

/** docs/task-tools.md: "Errors". */
export function errorTable(): string {
  const rows = Object.entries(words).map(([name, { means, todo }]) => [code(name), means, todo]);
  return table(['Code', 'What it means', 'What to do'], rows);
}
