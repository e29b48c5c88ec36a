import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { createApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { structureOf } from '../../../src/insights/outline/course.ts';
import { versionOf } from '../../../src/insights/outline/course-version.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { catalog } from '../../../tools/catalog.ts';
import { listen } from '../../support/listen.ts';
import { serverFor } from '../../support/serve.ts';
import { unlimited } from '../in-memory.ts';

export const replySchema = z.looseObject({
  id: z.number().optional(),
  result: z.looseObject({}).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

export type Reply = z.output<typeof replySchema>;

export interface Session {
  request(method: string, params: unknown, longest: number): Promise<Reply | undefined>;
  close(): Promise<void>;
}

/** The real server, with plain messages: a client would check and convert the inputs. */
export async function openSession(url: string, apiKey: string): Promise<Session> {
  const environment = unlimited(url, apiKey);
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

/** Lists below /api/v1, with the key of each; everything else is answered as a record. */
const lists: Readonly<Record<string, string>> = {
  '/courses': 'courses',
  '/courses/roles': 'roles',
  '/bundles': 'bundles',
  '/digital_products': 'digital_products',
  '/products': 'products',
  '/community/channels': 'channels',
  '/community/groups': 'groups',
  '/orders': 'orders',
  '/students': 'students',
  '/students/completions': 'students',
  '/students/answers': 'answers',
  '/students/project-posts': 'project_posts',
};

export const lessonIds = Array.from({ length: 20 }, (_, index) => index + 1);
const lessons = lessonIds.map((id) => ({ id, title: `Lesson ${id}`, sequence: id, is_published: true }));
// The module in valid arguments.
const structure = { modules: [{ id: 3, title: 'Module', lessons }], ungrouped_lessons: [] };

/** The course that every plan is based on. */
export const courseVersion = versionOf(structureOf(structure));

function recordAt(below: string) {
  const [, id = '1'] = /\/([1-9]\d{0,14})$/.exec(below) ?? [];
  return { id: Number(id), success: true };
}

function answerTo(method: string, path: string): string {
  const below = path.replace(/^\/api\/v1/, '');
  const key = method !== 'GET' ? undefined : below.endsWith('/posts') ? 'posts' : lists[below];
  if (method === 'GET' && below.endsWith('/lessons')) return JSON.stringify(structure);
  return JSON.stringify(key === undefined ? recordAt(below) : { [key]: [] });
}

export type Listener = Awaited<ReturnType<typeof startListener>>;

export async function startListener() {
  const requests: string[] = [];
  const { url, close } = await listen((incoming, outgoing) => {
    const [path = ''] = incoming.url?.split('?', 1) ?? [];
    const { method = '' } = incoming;
    requests.push(`${method} ${path}`);
    incoming.resume();
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(answerTo(method, path));
  });
  return { url, heard: () => requests.splice(0), close };
}
