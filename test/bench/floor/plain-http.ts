// The baseline for HTTP: the same tools on the SDK, served as in its documentation, with JSON
// answers, which are its fastest.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { tools } from '../../../tools/index.ts';

const stateless = process.argv.includes('--stateless');
const base = process.env.ACADEMY_BASE_URL;
const headers = { authorization: `Bearer ${process.env.ACADEMY_API_KEY}` };

/** The same tools with the same schemas, as in the documentation: both forms of an answer, nothing else. */
function buildServer(): McpServer {
  const server = new McpServer({ name: 'plain', version: '1.0.0' });
  for (const { name, title, description, input, output } of tools) {
    const config = { title, description, inputSchema: input, outputSchema: output };
    server.registerTool(name, config, async ({ order_id }) => {
      const path = order_id === undefined ? 'account' : `orders/${order_id}`;
      const answer = await fetch(`${base}/api/v1/${path}`, { headers });
      const record = (await answer.json()) as Record<string, unknown>;
      return { content: [{ type: 'text', text: JSON.stringify(record) }], structuredContent: record };
    });
  }
  return server;
}

const sessions = new Map<string, StreamableHTTPServerTransport>();

async function sessionTransport(request: IncomingMessage) {
  const known = sessions.get(String(request.headers['mcp-session-id']));
  if (known !== undefined) return known;
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await buildServer().connect(transport as Transport);
  return transport;
}

async function ownTransport(response: ServerResponse) {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = buildServer();
  response.on('close', () => server.close());
  await server.connect(transport as Transport);
  return transport;
}

const listener = createServer(async (request, response) => {
  const transport = await (stateless ? ownTransport(response) : sessionTransport(request));
  await transport.handleRequest(request, response);
});
listener.listen(0, '127.0.0.1', () => {
  process.stdout.write(`MCP server listening on http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp\n`);
});
