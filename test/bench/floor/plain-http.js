// The floor that HTTP is measured against: 36 tools on the same SDK, served as its documentation does, with JSON
// answers, which are its fastest. JavaScript, since it is run by Node as it is.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as z from 'zod';

const stateless = process.argv.includes('--stateless');
const base = process.env.ACADEMY_BASE_URL;
const headers = { authorization: `Bearer ${process.env.ACADEMY_API_KEY}` };

function buildServer() {
  const server = new McpServer({ name: 'plain', version: '1.0.0' });
  const inputSchema = z.object({
    order_id: z.string().describe('Order id'),
    page: z.int().optional(),
    detail: z.enum(['summary', 'full']).optional(),
  });
  for (let index = 0; index < 36; index += 1) {
    const config = {
      title: 'Get an order',
      description: 'Shows one order, with its buyer and what was bought.',
      inputSchema,
    };
    server.registerTool(index === 0 ? 'get_order' : `tool_${index}`, config, async ({ order_id }) => {
      const answer = await fetch(`${base}/api/v1/orders/${order_id}`, { headers });
      return { content: [{ type: 'text', text: await answer.text() }] };
    });
  }
  return server;
}

const sessions = new Map();

async function sessionTransport(request) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known !== undefined) return known;
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await buildServer().connect(transport);
  return transport;
}

async function ownTransport(response) {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  const server = buildServer();
  response.on('close', () => server.close());
  await server.connect(transport);
  return transport;
}

const listener = createServer(async (request, response) => {
  const transport = await (stateless ? ownTransport(response) : sessionTransport(request));
  await transport.handleRequest(request, response);
});
listener.listen(0, '127.0.0.1', () => {
  process.stdout.write(`MCP server listening on http://127.0.0.1:${listener.address().port}/mcp\n`);
});
