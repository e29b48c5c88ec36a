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
    todo: 'The message names each argument and its limit. Correct it and call again.',
  },
  invalid_settings: {
    means: 'A setting is missing or wrong. The program says so on standard error when it starts; no tool does.',
    todo: 'The message names the setting: see [settings.md](settings.md).',
  },
  unauthorized: {
    means: 'The API answered 401: the key is missing, wrong or of another account.',
    todo: 'Check the key, the address and how the key is sent, then run `doctor`.',
  },
  forbidden: {
    means:
      "The API answered 403: the key is not an admin's, or this admin may not do that. Or the token of an HTTP client has no scope `academy:read` or `academy:data`.",
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
    means:
      'The API could not be reached (nothing was sent), or a read failed with 5xx or a broken connection. It was retried if that can help.',
    todo: 'Try again in a minute. Check the address if it has never worked.',
  },
  timeout: {
    means: 'A read got no answer in time, retries included.',
    todo: 'Try again, or raise `ACADEMY_TIMEOUT_MS`.',
  },
  outcome_unknown: {
    means: 'A write was sent, reading back did not show its effect, and nothing proves that it was not done.',
    todo: 'Do not repeat it. First check with the tool that the message names.',
  },
  unexpected_response: {
    means: 'The answer is not one of the API: a web page, a redirect, another shape.',
    todo: 'Check that `ACADEMY_BASE_URL` is the address of the account.',
  },
  not_applied: {
    means:
      'A create was not sent: a record of that name, or a grant of the last minutes, exists already; or no student of a list is left to enroll.',
    todo: 'Look at the record. If it is what you want, nothing is left to do. Otherwise change it, or create one with another name.',
  },
  ambiguous_product: {
    means: 'Several products match the title, slug or id. The message lists them.',
    todo: 'Call again with the exact title or slug, or with the id and `product_type`.',
  },
  stale_version: {
    means:
      'The course has changed since the outline was planned, and the message shows the difference; or another change of it is in progress. Nothing was written.',
    todo: 'Plan again with `plan_course_outline`, and show the new plan.',
  },
  confirmation_required: {
    means:
      'The tool is destructive or restructures a course, or the server runs under lockdown, and `confirm` is missing or not valid. Nothing was changed. Without `confirm`, `bulk_enroll_students` and `offboard_student` answer with their plan instead; they refuse only a code that is not valid.',
    todo: 'Show the message to a person, and call again only if they agree.',
  },
  declined: {
    means:
      'A person was asked and did not agree, or the policy of `ACADEMY_CONFIRM` (`block`, or `human` if the client cannot ask) forbids it. Nothing was changed.',
    todo: 'Do not repeat it, unless the person asks for it again. Whoever runs the server can change the policy.',
  },
  read_only: {
    means: 'The token of this HTTP client has no scope for that write. Nothing was sent.',
    todo: 'The message names the scope. Only the issuer of the token can add it.',
  },
  cancelled: {
    means:
      'The client cancelled the call, or the server is stopping. A write that has been sent is finished all the same.',
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
