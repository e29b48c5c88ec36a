import type { Guard } from './guard.ts';

const limiter = ['test/api/limiter.test.ts'];

/** What keeps the account's request limit, and answers short. */
export const limitGuards: readonly Guard[] = [
  {
    name: 'a token comes back one window later',
    file: 'src/api/sliding-limiter.ts',
    text: 'if (sent) tokens.returnLater();',
    instead: 'if (sent) tokens.returnNow();',
    tests: limiter,
    only: 'more than our share',
  },
  {
    name: 'the queue has an end',
    file: 'src/api/sliding-limiter.ts',
    text: ' || isFull()',
    instead: '',
    tests: limiter,
    only: 'a queue that is full',
  },
  {
    name: 'a call that would wait too long is told at once',
    file: 'src/api/sliding-limiter.ts',
    text: 'expected > maxWaitMs || ',
    instead: '',
    tests: limiter,
    only: 'told at once',
  },
  {
    name: 'a cancelled call leaves the queue',
    file: 'src/api/sliding-limiter.ts',
    text: "turn.signal?.addEventListener('abort', onAbort, { once: true });",
    instead: '',
    tests: limiter,
    only: 'is cancelled leaves at once',
  },
  {
    name: 'after a 429 everybody pauses',
    file: 'src/api/sliding-limiter.ts',
    text: 'await pacer.resumed(turn.signal);',
    instead: '',
    tests: limiter,
    only: 'after a 429',
  },
  {
    name: 'a 429 makes the budget smaller',
    file: 'src/api/pacer.ts',
    text: 'change(allowed * cut);',
    instead: '',
    tests: limiter,
    only: '429',
  },
  {
    name: 'a nonsensical Retry-After is not believed',
    file: 'src/api/outcome.ts',
    text: 'wait >= 0 && wait <= longestRetryAfter',
    instead: 'wait >= 0',
    tests: ['test/api/retry.test.ts'],
  },
  {
    name: 'no answer is longer than 40,000 characters',
    file: 'src/mcp/size.ts',
    text: 'return fits(whole) ? whole :',
    instead: 'return fits(whole) || true ? whole :',
    tests: ['test/tools/long-answers.test.ts'],
    only: 'page of long posts',
  },
];
