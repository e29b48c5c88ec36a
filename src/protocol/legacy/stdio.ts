import type { Service } from '../../mcp/service.ts';
import type { MessageTransport } from '../stdio-transport.ts';
import { createLegacyServer } from './server.ts';

/** Serves one client of 2025-11-25 or earlier over a transport. */
export async function openConnection(service: Service, transport: MessageTransport, onerror: (error: Error) => void) {
  const server = createLegacyServer(service);
  server.onerror = onerror;
  await server.connect(transport);
  return { close: () => server.close() };
}
