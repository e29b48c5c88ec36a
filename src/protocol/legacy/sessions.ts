import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import type { SharedStore } from '../../shared/shared-store.ts';
import type { Message } from '../message.ts';
import { createHttpTransport, type HttpTransport, type SseStream } from './http-transport.ts';
import { createLegacyServer } from './server.ts';

export interface Session {
  readonly id: string;
  readonly transport: HttpTransport;
  readonly principal: Principal;
  readonly server: Server;
  /** What other replicas need to continue it. */
  readonly record: string;
  lastUsed: number;
}

/** `idleMs`: milliseconds without a request or an open stream after which a session ends. */
const defaults = { idleMs: 30 * 60_000, perCaller: 100, total: 1_000 };
export type SessionLimits = typeof defaults;

export interface SessionsOptions {
  serviceFor(principal: Principal, session: string): Service;
  /** Lets any replica continue a session; default: only this process can. */
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

export const nowhere: SseStream = { sendHeaders: () => {}, write: () => {}, end: () => {}, onDisconnect: () => {} };

/** Repeats the first message of a session, so that it has the same version and capabilities here. Resolves when that is done. */
async function repeatInitialize(session: Session, initialize: Message): Promise<void> {
  await new Promise<void>((resolve) => {
    session.transport.receive([initialize], { ...nowhere, end: () => resolve() }, () => {});
  });
  session.transport.receive([{ jsonrpc: '2.0', method: 'notifications/initialized' }], undefined, () => {});
}

/** Clients seldom end their sessions, so a new session evicts an idle one, first of the same caller. */
export function createSessions({ serviceFor, store, onerror, limits, now = () => performance.now() }: SessionsOptions) {
  const { idleMs, perCaller, total } = { ...defaults, ...limits };
  // In the order of last use.
  const entries = new Map<string, Session>();
  const reviving = new Map<string, Promise<void>>();

  function touch(entry: Session): Session {
    entry.lastUsed = now();
    entries.delete(entry.id);
    entries.set(entry.id, entry);
    return entry;
  }

  async function endEntry({ id, server }: Session): Promise<void> {
    if (entries.delete(id)) await server.close();
  }

  /** If the limit is reached, ends the session that has been idle longest. False if all are busy. */
  function evictIdle(candidates: Session[], limit: number): boolean {
    if (candidates.length < limit) return true;
    const idle = candidates.find(({ transport }) => !transport.isBusy());
    if (idle !== undefined) void endEntry(idle);
    return idle !== undefined;
  }

  /** Resolves to undefined if a limit is reached and every session is busy. */
  async function open(principal: Principal, initialize: Message, id: string = randomUUID()) {
    const { caller } = principal;
    const own = [...entries.values()].filter((entry) => entry.principal.caller === caller);
    if (!evictIdle(own, perCaller) || !evictIdle([...entries.values()], total)) return undefined;
    const transport = createHttpTransport();
    const server = createLegacyServer(serviceFor(principal, id), transport.onCall);
    server.onerror = onerror;
    const record = JSON.stringify({ principal: principalKey(principal), initialize });
    const entry = touch({ id, transport, principal, server, record, lastUsed: 0 });
    await server.connect(transport.sdkTransport);
    await store?.set(keyOf(id), record, idleMs);
    return entry;
  }

  /** A session that another replica has opened: this one repeats its initialize. */
  async function revive(id: string, principal: Principal): Promise<void> {
    const found = await store?.get(keyOf(id));
    if (found === undefined) return;
    const { principal: owner, initialize } = JSON.parse(found.value) as { principal: string; initialize: Message };
    if (owner !== principalKey(principal)) return;
    const session = await open(principal, initialize, id);
    if (session !== undefined) await repeatInitialize(session, initialize);
  }

  /** Finds a session of the same caller with the same scopes and accounts. Any other caller gets undefined. */
  function find(id: string, principal: Principal): Session | undefined {
    const entry = entries.get(id);
    if (entry === undefined || principalKey(entry.principal) !== principalKey(principal)) return undefined;
    return touch(entry);
  }

  let lastSweep = now();
  /** Ends idle sessions, and renews the record of each session that was used, since Redis may have lost it. */
  function sweep(): void {
    for (const entry of [...entries.values()]) {
      if (entry.transport.isBusy()) touch(entry);
      if (now() - entry.lastUsed > idleMs) void endEntry(entry);
      else if (entry.lastUsed >= lastSweep) void store?.set(keyOf(entry.id), entry.record, idleMs);
    }
    lastSweep = now();
  }

  return {
    open: (principal: Principal, initialize: Message) => open(principal, initialize),
    sweep,
    find,
    revive: async (id: string, principal: Principal): Promise<Session | undefined> => {
      const revived = reviving.get(id) ?? revive(id, principal).finally(() => reviving.delete(id));
      reviving.set(id, revived);
      await revived;
      return find(id, principal);
    },
    end: async (session: Session): Promise<void> => {
      await store?.delete(keyOf(session.id));
      await endEntry(session);
    },
    count: () => entries.size,
    close: async () => void (await Promise.all([...entries.values()].map(endEntry))),
  };
}
