import { failure, ok, type Reply } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import { answering } from './helpers.ts';
import { type Switch, updates, writes } from './switch.ts';

function answers(name: string, says: string, rules: Rules, more: Partial<Switch> = {}): Switch {
  return { name: `answer-${name}`, class: 'answers of writes', kind: 'open', says, probes: writes, rules, ...more };
}

/** Keeps the status of a creation. */
const body = (given: Reply, content: unknown): Reply => ({ ...given, body: content });
const key = (given: Reply) => Object.keys(Object(given.body))[0] ?? 'record';

export const answerSwitches: readonly Switch[] = [
  answers(
    'empty',
    'every write is done, and answered with an empty body',
    answering((given) => body(given, undefined)),
  ),
  answers(
    '204',
    'every write is done, and answered with 204',
    answering(() => ok(undefined, 204)),
  ),
  answers(
    'success',
    '{"success":true}',
    answering((given) => body(given, { success: true })),
  ),
  answers(
    'id-only',
    'the record without its fields',
    answering((given) => body(given, { [key(given)]: { id: Object(Object(given.body)[key(given)]).id } })),
    { probes: updates },
  ),
  answers(
    'unrelated',
    'another record',
    answering((given) =>
      body(given, {
        [key(given)]: {
          id: 1,
          title: 'Other',
          name: 'Other',
          price: '1.00',
          points: 1,
          description: 'Other',
          attributes: { title: 'Other', price: '1.00' },
        },
      }),
    ),
    { probes: updates, kind: 'departs' },
  ),
  answers(
    'old-record',
    'done with a delay, and answered with 202 and the record as it was',
    { effect: () => 'late', ...answering((given) => ({ ...given, status: 202 })) },
    { probes: updates },
  ),
  answers('queued-empty', 'done with a delay, and answered with an empty 202', {
    effect: () => 'late',
    ...answering(() => ok(undefined, 202)),
  }),
  answers(
    '500-done',
    'every write is done, and answered with 500',
    answering(() => failure(500, 'internal', 'Something went wrong')),
  ),
];
