import type { Guard } from './guard.ts';

const stdio = ['test/e2e/stdio.test.ts'];

/** What lets the program end, and nothing else end it. */
export const endGuards: readonly Guard[] = [
  {
    name: 'the end of its input ends the program',
    file: 'src/server/stdio/serve-stdio.ts',
    text: "for (const event of ['end', 'close', 'error']) stdin.once",
    instead: "for (const event of ['never']) stdin.once",
    tests: stdio,
    only: 'end of its input',
    isBuilt: true,
  },
  {
    name: 'a broken output ends the program',
    file: 'src/server/stdio/serve-stdio.ts',
    text: "for (const event of ['close', 'error']) stdout.once",
    instead: "for (const event of ['never']) stdout.once",
    tests: stdio,
    only: 'a broken output',
    isBuilt: true,
  },
  {
    name: 'SIGTERM ends the program with code 0',
    file: 'src/main.ts',
    text: "for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)",
    instead: "for (const signal of ['SIGUSR2'] as const)",
    tests: stdio,
    only: 'SIGTERM',
    isBuilt: true,
  },
  {
    name: 'calls under way are answered before the program ends',
    file: 'src/server/stdio/serve-stdio.ts',
    text: "if (end === 'input ended') await waitForAll(new Set([transport.answered()]), graceMs);",
    instead: '',
    tests: stdio,
    only: 'piped in',
    isBuilt: true,
  },
  {
    name: 'a line that is too long ends the program, and not only its ears',
    file: 'src/server/stdio/serve-stdio.ts',
    text: "onClosed = () => resolve('connection closed');",
    instead: 'onClosed = () => {};',
    tests: ['test/reliability/short/f3-protocol.test.ts'],
    only: '^F3',
    isBuilt: true,
  },
  {
    name: 'a closed standard error does not end it',
    file: 'src/main.ts',
    text: '} catch {}',
    instead: '} finally {}',
    tests: stdio,
    only: 'closed standard error',
    isBuilt: true,
  },
  {
    name: 'a request that was read last gets its answer before the program ends',
    file: 'src/server/stdio/serve-stdio.ts',
    text: 'await waitForAll(new Set([transport.answered()]), graceMs);',
    instead: 'await waitForAll(app.running, graceMs);',
    tests: stdio,
    only: 'the only request of a client',
    isBuilt: true,
  },
];
