import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Service } from '../../mcp/service.ts';
import { withErrorSizeLimit } from '../error-size-limit.ts';
import type { MessageTransport } from '../stdio-transport.ts';
import { createModernServer } from './server.ts';

/** Serves one client of 2026-07-28 over a transport. */
export async function openConnection(service: Service, transport: MessageTransport, onerror: (error: Error) => void) {
  return serveStdio(() => createModernServer(service), {
    transport: withErrorSizeLimit(transport),
    legacy: 'reject',
    onerror,
  });
}
