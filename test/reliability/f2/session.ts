import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { createApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { catalog } from '../../../tools/catalog.ts';
import { serverFor } from '../../support/serve.ts';

export const replySchema = z.looseObject({
  id: z.number().optional(),
  result: z.looseObject({}).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

export type Reply = z.output<typeof replySchema>;

export interface Session {
  /** Undefined without an answer after `longest` milliseconds. */
  request(method: string, params: unknown, longest: number): Promise<Reply | undefined>;
  close(): Promise<void>;
}

/** The real server, with plain messages: a client would check and convert the inputs. */
export async function openSession(url: string, apiKey: string): Promise<Session> {
  const environment = { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: apiKey, ACADEMY_RATE_LIMIT: 'off' };
  const config = loadConfig({}, { ...environment, LOG_LEVEL: 'silent' });
  const app = createApp({ config, ...catalog, log: createLogger('silent', [], { write: () => {} }) });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const waiting = new Map<number, (reply: Reply) => void>();
  let last = 0;
  ours.onmessage = (received) => {
    const reply = replySchema.parse(received);
    waiting.get(reply.id ?? 0)?.(reply);
    waiting.delete(reply.id ?? 0);
  };
  const server = serverFor(app, 'reliability');
  await server.connect(theirs);

  async function request(method: string, params: unknown, longest: number): Promise<Reply | undefined> {
    last += 1;
    const id = last;
    const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), longest);
    });
    // The message is wrong on purpose, so it does not fit the type.
    await ours.send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage);
    return await Promise.race([reply, late]).finally(() => clearTimeout(timer));
  }

  const clientInfo = { name: 'reliability', version: '1' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, 5_000);
  return {
    request,
    close: async () => {
      await ours.close();
      await app.close();
    },
  };
}
