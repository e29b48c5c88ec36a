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

/** What keeps a long text from taking long, and a refusal from being as long as what it refuses. */
export const lengthGuards: readonly Guard[] = [
  guard(
    'lengths of arguments are looked at first',
    ['src/mcp/input/parse-input.ts', 'refuseLong(schema, given);', ''],
    refusals,
    'length errors come before',
  ),
  guard(
    'lengths of a prompt are looked at first',
    ['src/mcp/prompt.ts', 'refuseLong(input, given);', ''],
    refusals,
    'length errors come before',
  ),
  guard(
    'a text that is too long is looked at no further',
    ['src/contract/schemas/input-fields.ts', '.max(maxLength, { abort: true })', '.max(maxLength)'],
    bounds,
    'not read any further',
  ),
  guard(
    'the entries of a list are counted before they are looked at',
    ['src/mcp/input/bounds.ts', 'if (value.length > most)', 'if (most < 0)'],
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
    'a long amount is no number',
    ['src/contract/schemas/decimal.ts', 'amount === undefined || amount.length > maxLength', 'amount === undefined'],
    linear,
    'parseDecimal',
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
    'what is logged is cut',
    ['src/shared/logger.ts', 'return cutText(hideSecrets(value));', 'return value;'],
    logger,
    'a long text is cut',
  ),
  guard(
    'what is logged is cut between words',
    ['src/shared/logger.ts', 'cut.slice(0, end)', 'cut'],
    logger,
    'a long text is cut',
  ),
  guard(
    'seconds have nine decimals',
    ['src/contract/schemas/date-time.ts', '!tooFine.test(value), {', "value !== '', {"],
    refusals,
    'a date has at most',
  ),
  guard(
    'half of a character is refused',
    ['src/contract/schemas/input-fields.ts', '!halfCharacter.test(value)', "value !== '\\uD800'"],
    refusals,
    'a lone surrogate',
  ),
  guard(
    'a refusal names a few of many',
    ['src/shared/invalid-input.ts', 'all.slice(0, most)', 'all'],
    refusals,
    'counts the reasons',
  ),
  guard(
    'a refusal that is cut keeps its advice',
    ['src/mcp/output/error-text.ts', 'cutToBytes(message, maxRefusal - roomForRest)', 'message'],
    refusals,
    'keeps its hint',
  ),
  guard(
    'an SDK does not answer with all that was wrong',
    ['src/protocol/error-size-limit.ts', 'send(limitErrorSize(message), ...rest)', 'send(message, ...rest)'],
    refusals,
    'message of an SDK',
  ),
  guard(
    'an id that is long does not come back',
    ['src/protocol/message.ts', 'value.length <= maxId', 'value.length >= 0'],
    refusals,
    'over HTTP has at most 4 KB',
  ),
  guard(
    'a method that is long does not come back',
    ['src/protocol/message.ts', 'value.method.length > maxMethod', 'value.method.length < 0'],
    refusals,
    'refused by name',
  ),
  guard(
    'params are looked at before an SDK does',
    ['src/protocol/validate-params.ts', "['prompts/get', promptProblem],", ''],
    refusals,
    'refused by name',
  ),
  guard(
    'a message is nested so deep and no deeper',
    ['src/protocol/message.ts', 'return isTooDeep(fields) || isTooDeep(others);', 'return false;'],
    refusals,
    'nested deeper than 64',
  ),
  guard(
    'arguments are nested so deep and no deeper',
    ['src/mcp/input/parse-input.ts', 'if (isTooDeep(given))', 'if (false)'],
    refusals,
    'nested deeper than 64',
  ),
  guard(
    'a session is not looked for by a long id',
    ['src/protocol/legacy/http.ts', ' || id.length > maxSessionIdLength', ''],
    refusals,
    'a long session id',
  ),
];
