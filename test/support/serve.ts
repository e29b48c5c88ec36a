import type { App } from '../../src/app.ts';
import { fullPrincipal } from '../../src/mcp/principal.ts';
import { createLegacyServer } from '../../src/protocol/legacy/server.ts';

/** A protocol server for one connection in memory, with its own conversation. */
export function serverFor(app: App, caller: string) {
  return createLegacyServer(app.serviceFor(fullPrincipal(caller), { hasUserContent: false }));
}
