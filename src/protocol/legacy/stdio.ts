import type { Service } from '../../mcp/service.ts';
import type { MessageTransport } from '../stdio-transport.ts';
import { createLegacyServer } from './server.ts';

/** Serves a client of 2025-11-25 or earlier on a wire of its own. */
export async function openConnection(service: Service, transport: MessageTransport, onerror: (error: Error) => void) {
  const server = createLegacyServer(service);
  server.onerror = onerror;
  await server.connect(transport);
  return { close: () => server.close() };
}
