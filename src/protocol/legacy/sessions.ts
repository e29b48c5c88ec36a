import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import { createHttpTransport, type HttpTransport } from './http-transport.ts';
import { createLegacyServer } from './server.ts';

export interface Session {
  readonly id: string;
  readonly transport: HttpTransport;
  /** Negotiated protocol version; undefined until initialize is answered. */
  version?: string;
}

interface Entry extends Session {
  readonly principal: Principal;
  readonly server: Server;
  lastUsed: number;
}

export interface SessionLimits {
  /** Milliseconds without a request or an open stream after which a session ends. */
  idleMs: number;
  perCaller: number;
  total: number;
}

const defaults: SessionLimits = { idleMs: 30 * 60_000, perCaller: 100, total: 1_000 };

interface SessionsOptions {
  serviceFor(principal: Principal): Service;
  onerror(error: Error): void;
  limits?: Partial<SessionLimits>;
  now?: () => number;
}

export interface Sessions {
  /** Resolves to undefined if a limit is reached and every session is busy. */
  open(principal: Principal): Promise<Session | undefined>;
  /** Finds a session of the same caller with the same scopes and accounts. Any other caller gets undefined. */
  find(id: string, principal: Principal): Session | undefined;
  end(session: Session): Promise<void>;
  /** Ends idle sessions and sends keep-alive comments on open streams. */
  sweep(): void;
  count(): number;
  close(): Promise<void>;
}

/** Scopes and accounts count as well: a session keeps the rights that its caller had when it was opened. */
function isSamePrincipal(one: Principal, other: Principal): boolean {
  const isSameScopes = [...one.scopes].join() === [...other.scopes].join();
  return one.caller === other.caller && isSameScopes && one.accounts?.join() === other.accounts?.join();
}

/** Clients seldom end their sessions, so a new session evicts an idle one, first of the same caller. */
export function createSessions({
  serviceFor,
  onerror,
  limits,
  now = () => performance.now(),
}: SessionsOptions): Sessions {
  const { idleMs, perCaller, total } = { ...defaults, ...limits };
  // In the order of last use.
  const entries = new Map<string, Entry>();

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

  async function open(principal: Principal): Promise<Session | undefined> {
    const { caller } = principal;
    const own = [...entries.values()].filter((entry) => entry.principal.caller === caller);
    if (!evictIdle(own, perCaller) || !evictIdle([...entries.values()], total)) return undefined;
    const transport = createHttpTransport();
    const server = createLegacyServer(serviceFor(principal), transport.onCall);
    server.onerror = onerror;
    const entry = touch({ id: randomUUID(), transport, principal, server, lastUsed: 0 });
    await server.connect(transport.sdkTransport);
    return entry;
  }

  function sweep(): void {
    for (const entry of [...entries.values()]) {
      entry.transport.keepAlive();
      if (entry.transport.isBusy()) touch(entry);
      else if (now() - entry.lastUsed > idleMs) void endEntry(entry);
    }
  }

  return {
    open,
    sweep,
    find: (id, principal) => {
      const entry = entries.get(id);
      return entry !== undefined && isSamePrincipal(entry.principal, principal) ? touch(entry) : undefined;
    },
    end: async ({ id }) => {
      const entry = entries.get(id);
      if (entry !== undefined) await endEntry(entry);
    },
    count: () => entries.size,
    close: async () => void (await Promise.all([...entries.values()].map(endEntry))),
  };
}
