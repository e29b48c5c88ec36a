import { startHarness, straight } from '../harness.ts';
import type { ToolAnswer } from '../tool-answer.ts';

/** The built program over stdio, and the sandbox with its own limit of 60 a minute. */
export interface RealAccount {
  /** Makes a call that differs for each number. */
  call(number: number): Promise<ToolAnswer>;
  /** The times of the requests, in milliseconds, and the statuses that the sandbox answered. */
  readonly log: readonly { at: number; status?: number }[];
  close(): Promise<void>;
}

export const realAllowance = { limit: 60, windowMs: 60_000 } as const;

export async function startRealAccount(settings: Record<string, string>): Promise<RealAccount> {
  const sandbox = { rateLimit: realAllowance.limit, windowMs: realAllowance.windowMs };
  const { program, faults, close } = await startHarness({ sandbox, settings, way: straight });
  const call = (number: number) => program.call('list_orders', { per_page: 1, page: number });
  return { call, log: faults.log, close };
}

/** Makes `count` calls with a fixed number in flight. */
export async function callInTurn(account: RealAccount, count: number, atOnce: number): Promise<ToolAnswer[]> {
  const answers: ToolAnswer[] = [];
  let next = 0;
  const caller = async () => {
    while (next < count) {
      next += 1;
      answers.push(await account.call(next));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return answers;
}
