import type { Row } from '../support/academy.ts';
import type { Saboteur } from './task.ts';

// The usual ways of being wrong.

export const says =
  (answer: string): Saboteur =>
  async () =>
    answer;

export const also =
  (tool: string, args: Row): Saboteur =>
  async ({ call, oracle }) => {
    const answer = await oracle();
    await done(call(tool, args));
    return answer;
  };

/** Makes these calls alone, and claims the rest. */
export const does =
  (...calls: readonly (readonly [tool: string, args: Row])[]): Saboteur =>
  async ({ call }) => {
    for (const [tool, args] of calls) await done(call(tool, args));
    return 'Done.';
  };

export const claimed: Saboteur = does();

/** A wrong call that is refused would prove nothing. */
async function done(answer: Promise<{ readonly code: string; readonly text: string }>): Promise<void> {
  const { code, text } = await answer;
  if (!['ok', 'confirmation_required', 'outcome_unknown'].includes(code)) throw new Error(text);
}

export const misquotes =
  (right: string, wrong: string): Saboteur =>
  async ({ oracle }) => {
    const answer = await oracle();
    if (!answer.includes(right)) throw new Error(`"${right}" is not in: ${answer}`);
    return answer.replace(right, wrong);
  };

export const adds =
  (more: string): Saboteur =>
  async ({ oracle }) =>
    `${await oracle()}\n${more}`;
