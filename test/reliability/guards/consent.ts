import type { Guard } from './guard.ts';

const code = ['test/mcp/consent-code.test.ts'];
const consent = ['test/mcp/consent.test.ts'];
const settings = ['test/config.test.ts'];

/** What asks before something is taken away, and what the one who runs the server has forbidden. */
export const consentGuards: readonly Guard[] = [
  {
    name: 'what takes something away wants confirm',
    file: 'src/mcp/confirm.ts',
    text: 'await requireConsent(tool, rest, confirm, context, settings);',
    instead: '{}',
    tests: ['test/wire/confirm.test.ts'],
  },
  {
    name: 'confirm is the boolean true and nothing like it',
    file: 'src/mcp/confirm.ts',
    text: 'z.boolean().optional()',
    instead: 'z.coerce.boolean().optional()',
    tests: ['test/tools/confirmation.test.ts'],
    only: 'no text and no number',
  },
  {
    name: 'a code is good once',
    file: 'src/mcp/confirm-code.ts',
    text: "if (used.has(code)) return 'the code has been used';",
    instead: '',
    tests: code,
  },
  {
    name: 'a code expires',
    file: 'src/mcp/confirm-code.ts',
    text: "if (time.readUIntBE(0, timeBytes) < cameAt) return 'the code has expired';",
    instead: '',
    tests: code,
    only: 'five minutes',
  },
  {
    name: 'a code is for its arguments',
    file: 'src/mcp/confirm-code.ts',
    text: '.update(time).update(subject)',
    instead: '.update(time)',
    tests: code,
    only: 'its own arguments',
  },
  {
    name: 'the time in a code cannot be changed',
    file: 'src/mcp/confirm-code.ts',
    text: '.update(time).update(subject)',
    instead: '.update(subject)',
    tests: code,
    only: 'time in a code',
  },
  {
    name: 'a human who declines is obeyed',
    file: 'src/mcp/ask-human.ts',
    text: "action === 'accept' && isTicked ? 'agreed' : 'declined'",
    instead: "action === 'cancel' ? 'declined' : 'agreed'",
    tests: consent,
  },
  {
    name: 'ACADEMY_CONFIRM=block forbids',
    file: 'src/mcp/confirm.ts',
    text: "if (policy === 'block') {",
    instead: 'if (policy !== policy) {',
    tests: consent,
    only: 'block',
  },
  {
    name: 'under lockdown the text of members is remembered',
    file: 'src/mcp/call.ts',
    text: 'if (tool.memberText)',
    instead: 'if (tool.memberText && tool.name === tool.title)',
    tests: ['test/mcp/lockdown.test.ts'],
    only: 'after search_posts',
  },
  {
    name: 'read-only mode removes what writes',
    file: 'src/mcp/select.ts',
    text: "(!readOnly || tool.effect === 'read') &&",
    instead: '',
    tests: ['test/tools/all-tools.test.ts'],
    only: 'read-only',
  },
  {
    name: 'an unknown ACADEMY_ variable is refused',
    file: 'src/config.ts',
    text: '  refuseUnknown(environment);',
    instead: '',
    tests: settings,
  },
  {
    name: 'the base URL must be https',
    file: 'src/settings.ts',
    text: "if (url.protocol === 'http:' && !isLoopback(url))",
    instead: "if (url.protocol === 'http:' && url.hostname === '')",
    tests: settings,
  },
  {
    name: 'no limit at all is for this machine only',
    file: 'src/config.ts',
    text: '  checkTogether(config);',
    instead: '',
    tests: settings,
  },
];
