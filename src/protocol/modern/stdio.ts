import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Service } from '../../mcp/service.ts';
import { withErrorSizeLimit } from '../error-size-limit.ts';
import type { MessageTransport } from '../stdio-transport.ts';
import { createModernServer } from './server.ts';

/** Serves a client of 2026-07-28 on a wire of its own. */
export async function openConnection(service: Service, transport: MessageTransport, onerror: (error: Error) => void) {
  return serveStdio(() => createModernServer(service), {
    transport: withErrorSizeLimit(transport),
    legacy: 'reject',
    onerror,
  });
}
