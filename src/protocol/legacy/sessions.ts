import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import type { SharedStore } from '../../shared/shared-store.ts';
import type { Message } from '../message.ts';
import { createHttpTransport, type HttpTransport } from './http-transport.ts';
import { createLegacyServer } from './server.ts';

export interface Session {
  readonly id: string;
  readonly transport: HttpTransport;
}

interface Entry extends Session {
  readonly principal: Principal;
  readonly server: Server;
  lastUsed: number;
  /** What other replicas need to continue it, and when they were last told. */
  record?: string;
  keptAt: number;
}

export interface SessionLimits {
  /** Milliseconds without a request or an open stream after which a session ends. */
  idleMs: number;
  perCaller: number;
  total: number;
}

const defaults: SessionLimits = { idleMs: 30 * 60_000, perCaller: 100, total: 1_000 };

interface SessionsOptions {
  serviceFor(principal: Principal, session: string): Service;
  store?: SharedStore | undefined;
  onerror(error: Error): void;
  limits?: Partial<SessionLimits>;
  now?: () => number;
}

export type Sessions = ReturnType<typeof createSessions>;

/** Scopes and accounts count as well: a session keeps the rights that its caller had when it was opened. */
function principalKey({ caller, scopes, accounts }: Principal): string {
  return JSON.stringify([caller, [...scopes], accounts ?? null]);
}

const keyOf = (id: string) => `session ${id}`;

/** Repeats the first message of a session, so that it has the same version and capabilities here. Resolves when that is done. */
async function repeatInitialize(session: Session, initialize: Message): Promise<void> {
  await new Promise<void>((resolve) => {
    const nowhere = { write: () => {}, end: () => resolve(), keepAlive: () => {}, onDisconnect: () => {} };
    session.transport.receive([initialize], nowhere, () => {});
  });
  session.transport.receive([{ jsonrpc: '2.0', method: 'notifications/initialized' }], undefined, () => {});
}

/** Clients seldom end their sessions, so a new session evicts an idle one, first of the same caller. */
export function createSessions({ serviceFor, store, onerror, limits, now = () => performance.now() }: SessionsOptions) {
  const { idleMs, perCaller, total } = { ...defaults, ...limits };
  // In the order of last use.
  const entries = new Map<string, Entry>();
  const reviving = new Map<string, Promise<Session | undefined>>();

  function touch(entry: Entry): Entry {
    entry.lastUsed = now();
    entries.delete(entry.id);
    entries.set(entry.id, entry);
    return entry;
  }

  async function endEntry({ id, server }: Entry): Promise<void> {
    if (entries.delete(id)) await server.close();
  }

  /** If the limit is reached, ends the session that has been idle longest. False if all are busy. */
  function evictIdle(candidates: Entry[], limit: number): boolean {
    if (candidates.length < limit) return true;
    const idle = candidates.find(({ transport }) => !transport.isBusy());
    if (idle !== undefined) void endEntry(idle);
    return idle !== undefined;
  }

  /** Resolves to undefined if a limit is reached and every session is busy. */
  async function open(principal: Principal, id: string = randomUUID()): Promise<Session | undefined> {
    const { caller } = principal;
    const own = [...entries.values()].filter((entry) => entry.principal.caller === caller);
    if (!evictIdle(own, perCaller) || !evictIdle([...entries.values()], total)) return undefined;
    const transport = createHttpTransport();
    const server = createLegacyServer(serviceFor(principal, id), transport.onCall);
    server.onerror = onerror;
    const entry = touch({ id, transport, principal, server, lastUsed: 0, keptAt: now() });
    await server.connect(transport.sdkTransport);
    return entry;
  }

  /** Lets other replicas continue a session, by its first message. */
  async function share({ id }: Session, initialize: Message): Promise<void> {
    const entry = entries.get(id);
    if (entry === undefined || store === undefined) return;
    entry.record = JSON.stringify({ principal: principalKey(entry.principal), initialize });
    await store.set(keyOf(id), entry.record, idleMs);
  }

  /** A session that another replica has opened: this one repeats its initialize. */
  async function revive(id: string, principal: Principal): Promise<Session | undefined> {
    const found = await store?.get(keyOf(id));
    if (found === undefined) return undefined;
    const { principal: owner, initialize } = JSON.parse(found.value) as { principal: string; initialize: Message };
    if (owner !== principalKey(principal)) return undefined;
    const session = await open(principal, id);
    if (session !== undefined) await repeatInitialize(session, initialize);
    const entry = entries.get(id);
    if (entry !== undefined) entry.record = found.value;
    return session;
  }

  /** A session lives as long as it is used, on any replica, even if Redis has lost it. */
  function keepAlive(entry: Entry): Entry {
    if (store === undefined || entry.record === undefined || now() - entry.keptAt < idleMs / 30) return entry;
    entry.keptAt = now();
    void store.set(keyOf(entry.id), entry.record, idleMs);
    return entry;
  }

  /** Finds a session of the same caller with the same scopes and accounts. Any other caller gets undefined. */
  function find(id: string, principal: Principal): Session | undefined {
    const entry = entries.get(id);
    return entry !== undefined && principalKey(entry.principal) === principalKey(principal)
      ? keepAlive(touch(entry))
      : undefined;
  }

  /** Ends idle sessions and sends keep-alive comments on open streams. */
  function sweep(): void {
    for (const entry of [...entries.values()]) {
      entry.transport.keepAlive();
      if (entry.transport.isBusy()) keepAlive(touch(entry));
      else if (now() - entry.lastUsed > idleMs) void endEntry(entry);
    }
  }

  return {
    open: (principal: Principal): Promise<Session | undefined> => open(principal),
    sweep,
    share,
    find,
    revive: async (id: string, principal: Principal): Promise<Session | undefined> => {
      const revived = reviving.get(id) ?? revive(id, principal).finally(() => reviving.delete(id));
      reviving.set(id, revived);
      await revived;
      return find(id, principal);
    },
    end: async ({ id }: Session): Promise<void> => {
      const entry = entries.get(id);
      await store?.delete(keyOf(id));
      if (entry !== undefined) await endEntry(entry);
    },
    count: () => entries.size,
    close: async () => void (await Promise.all([...entries.values()].map(endEntry))),
  };
}
