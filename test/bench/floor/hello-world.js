// The baseline for start-up: one tool on the same SDK, written as in its documentation, loaded
// from node_modules. JavaScript, because Node runs it unchanged.

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';

const server = new McpServer({ name: 'hello-world', version: '1.0.0' });
server.registerTool('greet', { description: 'Greets.', inputSchema: { name: z.string() } }, ({ name }) => ({
  content: [{ type: 'text', text: `Hello, ${name}` }],
}));
await server.connect(new StdioServerTransport());
