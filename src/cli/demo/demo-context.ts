import type * as z from 'zod';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Connection, ToolAnswer } from './connection.ts';
import type { Screen } from './screen.ts';

type Arguments = Record<string, unknown>;

/** Calls and requests since the count started. */
export interface Spent {
  calls: number;
  requests: number;
  remaining: number;
}

export function costText({ calls, requests, remaining }: Spent): string {
  const words = calls === 1 ? '1 tool call' : `${calls} tool calls`;
  return `Cost: ${words}, ${requests} API requests (${remaining} more allowed in this minute)`;
}

/** What the sections of the demo use. */
export interface DemoContext {
  readonly screen: Screen;
  readonly sandbox: Pick<Sandbox, 'url' | 'apiKey'>;
  readonly signal: AbortSignal;
  /** Calls a tool and returns its structured answer and its text. Throws if the tool returns an error. */
  readText<Schema extends z.ZodType>(
    shape: Schema,
    name: string,
    args?: Arguments,
  ): Promise<{ data: z.output<Schema>; text: string }>;
  /** Calls a tool that must refuse, and returns its message. */
  refusal(name: string, args: Arguments): Promise<string>;
  /** Starts to count. The returned function gives the calls and requests since then. */
  count(): () => Spent;
}

interface StageOptions extends Pick<DemoContext, 'screen' | 'sandbox' | 'signal'> {
  connection: Connection;
}

export function createDemoContext({ connection, screen, sandbox, signal }: StageOptions): DemoContext {
  const spent: Spent = { calls: 0, requests: 0, remaining: 0 };

  async function call(name: string, args: Arguments): Promise<ToolAnswer> {
    screen.call(name, args);
    const answer = await connection.call(name, args);
    spent.calls += 1;
    spent.requests += answer.requests;
    spent.remaining = answer.remaining;
    return answer;
  }

  const readText: DemoContext['readText'] = async (shape, name, args = {}) => {
    const { isError, text, data } = await call(name, args);
    if (isError) throw new Error(`${name} answered ${text.split('\n')[0]}`);
    return { data: shape.parse(data), text };
  };

  return {
    screen,
    sandbox,
    signal,
    readText,
    refusal: async (name, args) => {
      const { isError, text } = await call(name, args);
      if (!isError) throw new Error(`${name} was not refused`);
      return text;
    },
    count: () => {
      const { calls, requests } = spent;
      return () => ({ ...spent, calls: spent.calls - calls, requests: spent.requests - requests });
    },
  };
}
