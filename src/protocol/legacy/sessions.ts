import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Principal } from '../../mcp/principal.ts';
import type { Service } from '../../mcp/service.ts';
import { createHttpTransport, type HttpTransport } from './http-transport.ts';
import { createLegacyServer } from './server.ts';

export interface Session {
  readonly id: string;
  readonly transport: HttpTransport;
  /** Of the protocol, once it has been agreed. */
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

export interface SessionsOptions {
  serviceFor(principal: Principal): Service;
  onerror(error: Error): void;
  limits?: Partial<SessionLimits>;
  now?: () => number;
}

export interface Sessions {
  /** Undefined where there are too many, and all of them are busy. */
  open(principal: Principal): Promise<Session | undefined>;
  /** A session is its caller's alone, with the same scopes: for others there is none of that id. */
  find(id: string, principal: Principal): Session | undefined;
  end(session: Session): Promise<void>;
  /** Ends what has been idle too long, and gives signs of life on open streams. */
  sweep(): void;
  count(): number;
  close(): Promise<void>;
}

/** A session was opened with what its caller might do then: with other scopes it is not theirs. */
function isSamePrincipal(one: Principal, other: Principal): boolean {
  return one.caller === other.caller && [...one.scopes].join() === [...other.scopes].join();
}

/** Clients seldom end their sessions: old ones make room for new ones, those of the same caller first. */
export function createSessions({
  serviceFor,
  onerror,
  limits,
  now = () => performance.now(),
}: SessionsOptions): Sessions {
  const { idleMs, perCaller, total } = { ...defaults, ...limits };
  // In order of last use.
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

  /** Ends the oldest idle session where there are too many. False where all are busy. */
  function evictIdle(among: Entry[], most: number): boolean {
    if (among.length < most) return true;
    const idle = among.find(({ transport }) => !transport.isBusy());
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
