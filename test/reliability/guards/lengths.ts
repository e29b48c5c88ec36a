import type { Guard } from './guard.ts';

const refusals = ['test/security/refusals.test.ts'];
const bounds = ['test/mcp/input/bounds.test.ts'];
const linear = ['test/security/linear-time.test.ts'];
const logger = ['test/shared/logger.test.ts'];

const guard = (
  name: string,
  [file, text, instead]: [file: string, text: string, instead: string],
  tests: string[],
  only: string,
): Guard => ({ name, file, text, instead, tests, only });

/** Long texts do not take long, and a refusal is shorter than the text that it refuses. */
export const lengthGuards: readonly Guard[] = [
  guard(
    'lengths of arguments are checked first',
    ['src/mcp/input/parse-input.ts', 'refuseLong(schema, given);', ''],
    refusals,
    'length errors come before',
  ),
  guard(
    'lengths of prompt arguments are checked first',
    ['src/mcp/prompt.ts', 'refuseLong(input, given);', ''],
    refusals,
    'length errors come before',
  ),
  guard(
    'a text that is too long is not checked further',
    ['src/contract/schemas/input-fields.ts', '.max(maxLength, { abort: true })', '.max(maxLength)'],
    bounds,
    'not read any further',
  ),
  guard(
    'the entries of a list are counted before they are checked',
    ['src/mcp/input/bounds.ts', 'if (value.length > max)', 'if (max < 0)'],
    bounds,
    'lengths are checked',
  ),
  guard(
    'a long slug is not normalised',
    ['src/contract/schemas/path-segment.ts', 'if (value.length > maxSegment) return false;', ''],
    linear,
    'isPathSegment',
  ),
  guard(
    'a long name is not normalised',
    [
      'src/shared/clean-text.ts',
      "value.length > maxNormalized ? value : value.normalize('NFC')",
      "value.normalize('NFC')",
    ],
    linear,
    'composed',
  ),
  guard(
    'a long amount is not parsed as a number',
    ['src/contract/schemas/decimal.ts', 'amount === undefined || amount.length > maxLength', 'amount === undefined'],
    ['test/insights/money.test.ts'],
    'longer than 100 characters',
  ),
  guard(
    'lines of a prompt are split in one pass',
    ['src/mcp/prompt.ts', 'value.split(/[\\n\\r\\u2028\\u2029]/)', 'value.split(/\\s*[\\n\\r\\u2028\\u2029]+\\s*/)'],
    linear,
    'a prompt takes time',
  ),
  guard(
    'emails are found in one pass',
    [
      'src/shared/logger.ts',
      "text.replace(words, (word) => (word.includes('@') && containsEmail(word) ? '[email]' : word))",
      "text.replace(/[^\\s@]+@[^\\s@]+\\.[^\\s@]+/g, '[email]')",
    ],
    linear,
    'withoutEmails',
  ),
  guard(
    'logged texts are cut',
    ['src/shared/logger.ts', 'return cutText(hideSecrets(value));', 'return value;'],
    logger,
    'a long text is cut',
  ),
  guard(
    'logged texts are cut between words',
    ['src/shared/logger.ts', 'cut.slice(0, end)', 'cut'],
    logger,
    'a long text is cut',
  ),
  guard(
    'seconds have at most nine decimals',
    ['src/contract/schemas/date-time.ts', '!tooFine.test(value), {', "value !== '', {"],
    refusals,
    'a date has at most',
  ),
  guard(
    'a lone surrogate is refused',
    ['src/contract/schemas/input-fields.ts', '!halfCharacter.test(value)', "value !== '\\uD800'"],
    refusals,
    'a lone surrogate',
  ),
  guard(
    'a refusal names only some of many reasons',
    ['src/shared/invalid-input.ts', 'all.slice(0, max)', 'all'],
    refusals,
    'counts the reasons',
  ),
  guard(
    'a shortened refusal keeps its hint',
    ['src/mcp/output/error-text.ts', 'cutToBytes(message, maxRefusal - roomForRest)', 'message'],
    refusals,
    'keeps its hint',
  ),
  guard(
    'the answer does not repeat every problem that the SDK lists',
    ['src/protocol/error-size-limit.ts', 'send(limitErrorSize(message), ...rest)', 'send(message, ...rest)'],
    refusals,
    'message of an SDK',
  ),
  guard(
    'a long id is not repeated in the answer',
    ['src/protocol/message.ts', 'value.length <= maxId', 'value.length >= 0'],
    refusals,
    'over HTTP has at most 4 KB',
  ),
  guard(
    'a long method name is not repeated in the answer',
    ['src/protocol/message.ts', 'value.method.length > maxMethod', 'value.method.length < 0'],
    refusals,
    'refused by name',
  ),
  guard(
    'params are checked before the SDK sees them',
    ['src/protocol/validate-params.ts', "['prompts/get', promptProblem],", ''],
    refusals,
    'refused by name',
  ),
  guard(
    'a message has a maximum depth',
    ['src/protocol/message.ts', 'return isTooDeep(fields) || isTooDeep(others);', 'return false;'],
    refusals,
    'nested deeper than 64',
  ),
  guard(
    'arguments have a maximum depth',
    ['src/mcp/input/parse-input.ts', 'if (isTooDeep(given))', 'if (false)'],
    refusals,
    'nested deeper than 64',
  ),
  guard(
    'a session is not looked up by a long id',
    ['src/protocol/legacy/http.ts', ' || id.length > maxSessionIdLength', ''],
    refusals,
    'a long session id',
  ),
];
