import type { Guard } from './guard.ts';

const stdio = ['test/e2e/stdio.test.ts'];

/** The program ends when it should, and only then. */
export const endGuards: readonly Guard[] = [
  {
    name: 'the end of standard input ends the program',
    file: 'src/server/stdio/serve-stdio.ts',
    text: "for (const event of ['end', 'close', 'error']) stdin.once",
    instead: "for (const event of ['never']) stdin.once",
    tests: stdio,
    only: 'end of standard input',
    isBuilt: true,
  },
  {
    name: 'a broken standard output ends the program',
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
    name: 'calls in flight are answered before the program ends',
    file: 'src/server/stdio/serve-stdio.ts',
    text: "if (end === 'input ended') await waitForAll(new Set([transport.answered()]), graceMs);",
    instead: '',
    tests: stdio,
    only: 'piped requests',
    isBuilt: true,
  },
  {
    name: 'a line that is too long ends the program, instead of only its reading',
    file: 'src/server/stdio/serve-stdio.ts',
    text: "onClosed = () => resolve('connection closed');",
    instead: 'onClosed = () => {};',
    tests: ['test/reliability/short/f3-protocol.test.ts'],
    only: '^F3',
    isBuilt: true,
  },
  {
    name: 'a closed standard error does not end the program',
    file: 'src/main.ts',
    text: '} catch {}',
    instead: '} finally {}',
    tests: stdio,
    only: 'closed standard error',
    isBuilt: true,
  },
  {
    name: 'the last request is answered before the program ends',
    file: 'src/server/stdio/serve-stdio.ts',
    text: 'await waitForAll(new Set([transport.answered()]), graceMs);',
    instead: 'await waitForAll(app.running, graceMs);',
    tests: stdio,
    only: 'the only request of a client',
    isBuilt: true,
  },
];
