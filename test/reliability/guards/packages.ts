import type { Guard } from './guard.ts';

const extension = 'scripts/package/launcher/extension.cjs';
const bundle = ['test/e2e/package-bundle.test.ts'];

/** What the launchers of the packages check before they start the program. */
export const packageGuards: readonly Guard[] = [
  {
    name: 'an extension whose client passes no value is read-only',
    file: extension,
    text: "if (!process.env.ACADEMY_READ_ONLY) process.env.ACADEMY_READ_ONLY = 'true';",
    instead: '',
    tests: bundle,
    only: 'the plugin of Claude Code',
    isBuilt: true,
  },
  {
    name: 'an extension with an empty form does not fall back to made-up data',
    file: extension,
    text: "process.env.TRY_SANDBOX === 'true'",
    instead: "process.env.TRY_SANDBOX === 'true' || !process.env.ACADEMY_BASE_URL",
    tests: bundle,
    only: 'an empty form',
    isBuilt: true,
  },
  {
    name: 'the form of the extension decides who has to confirm',
    file: 'scripts/package/extension-fields.ts',
    text: "ACADEMY_CONFIRM: placeholderOf('confirmation'),",
    instead: '',
    tests: bundle,
    only: 'their own confirmation',
    isBuilt: true,
  },
  {
    name: 'an old Node is named before the program is read',
    file: 'scripts/package/launcher/start.cjs',
    text: 'if (parts[0] < oldest.major ||',
    instead: 'if (',
    tests: ['test/e2e/package.test.ts'],
    only: 'an old Node',
    isBuilt: true,
  },
];
