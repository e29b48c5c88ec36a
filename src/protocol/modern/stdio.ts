import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Service } from '../../mcp/service.ts';
import { withBoundedReplies } from '../error-size-limit.ts';
import type { Wire } from '../stdio-transport.ts';
import { createModernServer } from './server.ts';

/** Serves a client of 2026-07-28 on a wire of its own. */
export async function openConnection(service: Service, wire: Wire, onerror: (error: Error) => void) {
  return serveStdio(() => createModernServer(service), {
    transport: withBoundedReplies(wire),
    legacy: 'reject',
    onerror,
  });
}
