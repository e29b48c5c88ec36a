import type { Call, Reply } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';

export const records = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

/** The reason for a refused write, which an answer must pass on. */
export const refusalWords = 'Seat limit reached';

export const isWrite = ({ method, route }: Call) => method !== 'GET' && route !== 'courses.completion';

/** Answers every write with this and does nothing. */
export function refusing(reply: () => Reply): Rules {
  return { before: (call) => (isWrite(call) ? reply() : undefined) };
}

/** Does every write and answers with this. */
export function answering(reply: (given: Reply, call: Call) => Reply): Rules {
  return { after: (given, call) => (isWrite(call) && given.status < 300 ? reply(given, call) : given) };
}
