import type { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Service } from '../../mcp/service.ts';
import { withErrorSizeLimit } from '../error-size-limit.ts';
import type { MessageTransport } from '../stdio-transport.ts';
import { createModernServer } from './server.ts';
import { asksForSkills } from './skills.ts';

/** The SDK passes each notification to the subscriptions of this client that ask for its address. */
function sendUpdates(server: Server, { updates }: Service): void {
  if (updates === undefined) return;
  server.onclose = updates.subscribe((uri) => {
    server.sendResourceUpdated({ uri }).catch(() => {});
  });
}

/** Serves one client of 2026-07-28 over a transport. */
export async function openConnection(
  service: Service,
  transport: MessageTransport,
  onerror: (error: Error) => void,
  first: unknown,
) {
  const skills = asksForSkills(first);
  const createServer = () => {
    const server = createModernServer(service, { skills });
    sendUpdates(server, service);
    return server;
  };
  return serveStdio(createServer, {
    transport: withErrorSizeLimit(transport),
    legacy: 'reject',
    onerror,
  });
}
