import { Pool } from 'undici';
import * as z from 'zod';

const reply = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  result: z
    .looseObject({ isError: z.boolean().optional(), structuredContent: z.record(z.string(), z.unknown()).optional() })
    .optional(),
  error: z.looseObject({ code: z.number() }).optional(),
});

export interface Answer {
  readonly status: number;
  /** Undefined if the answer was not a JSON-RPC message. */
  readonly message: z.output<typeof reply> | undefined;
  readonly text: string;
}

const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function messageIn(text: string): Answer['message'] {
  const json = text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)?.[1];
  if (json === undefined) return undefined;
  try {
    return reply.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}

export function createCaller(url: string, connections: number) {
  const pool = new Pool(new URL(url).origin, { connections });

  async function send(
    body: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Answer & { session: string }> {
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const request = { method: 'POST' as const, path: '/mcp', headers: { ...common, ...headers }, body: text };
    const answer = await pool.request({ ...request, ...(signal === undefined ? {} : { signal }) });
    const came = await answer.body.text();
    const session = String(answer.headers['mcp-session-id'] ?? '');
    return { status: answer.statusCode, message: messageIn(came), text: came, session };
  }

  return {
    send,
    call: (id: number, name: string, args: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }, headers, signal),
    open: async (): Promise<Record<string, string>> => {
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'reliability', version: '1' },
      };
      const { session } = await send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      return { 'mcp-session-id': session };
    },
    end: async (session: Record<string, string>) => {
      const { body } = await pool.request({ method: 'DELETE', path: '/mcp', headers: session });
      await body.dump();
    },
    close: () => pool.destroy(),
  };
}

export type Caller = ReturnType<typeof createCaller>;
