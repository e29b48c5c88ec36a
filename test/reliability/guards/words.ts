import type { Guard } from './guard.ts';

const hostile = ['test/tools/hostile-text.test.ts'];
const errors = ['test/wire/errors.test.ts'];

/** What keeps foreign words in their place, and secrets out of sight. */
export const wordGuards: readonly Guard[] = [
  {
    name: 'the marks of a fence cannot be guessed',
    file: 'src/mcp/render.ts',
    text: "const nonce = randomBytes(16).toString('hex');",
    instead: "const nonce = '0'.repeat(32);",
    tests: hostile,
  },
  {
    name: 'invisible characters are removed',
    file: 'src/clean.ts',
    text: ".replace(invisible, '')",
    instead: '',
    tests: hostile,
  },
  {
    name: 'names are one line of at most 200 characters',
    file: 'src/mcp/fence.ts',
    text: "kindOf(schema, value) === 'line' ? longestLine : longestCode",
    instead: '1e9',
    tests: hostile,
  },
  {
    name: 'free text stands apart, as untrusted',
    file: 'src/mcp/fence.ts',
    text: "return isCode && !/[\\n\\r]/.test(value) ? 'code' : 'block';",
    instead: "return 'code';",
    tests: hostile,
  },
  {
    name: 'a bar in a name is no next column',
    file: 'src/mcp/render.ts',
    text: ".replaceAll('|', '\\\\|')",
    instead: '',
    tests: hostile,
    only: 'a bar in a name',
  },
  {
    name: 'words of the API in an error are cut',
    file: 'src/api/errors.ts',
    text: 'oneLine(value, longestApiText)',
    instead: 'value',
    tests: errors,
    only: 'cut at 500',
  },
  {
    name: 'the key is scrubbed from the log',
    file: 'src/logger.ts',
    text: 'text.replaceAll(secret, hidden)',
    instead: 'text',
    tests: ['test/logger.test.ts'],
    only: 'no secret reaches the log',
  },
  {
    name: 'emails are scrubbed from the log',
    file: 'src/logger.ts',
    text: ".replace(anyEmail, '[email]')",
    instead: '',
    tests: ['test/logger.test.ts'],
  },
  {
    name: 'a key that the API echoes is struck out',
    file: 'src/mcp/hide.ts',
    text: 'rest.replaceAll(secret, hidden)',
    instead: 'rest',
    tests: ['test/reliability/short/f14-canaries.test.ts'],
    only: '^F14',
    isBuilt: true,
  },
  {
    name: 'a printed config hides its key',
    file: 'src/config.ts',
    text: 'const secrets = { apiKey: hidden,',
    instead: 'const secrets = { apiKey: config.apiKey,',
    tests: ['test/config.test.ts'],
  },
];
