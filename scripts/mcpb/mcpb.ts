// `npm run mcpb` makes the bundle for Claude Desktop, build/academy-mcp.mcpb.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeBundle } from './bundle.ts';

const file = 'build/academy-mcp.mcpb';
await writeBundle('dist', 'build/mcpb', file);
const bytes = await readFile(file);
const sha256 = createHash('sha256').update(bytes).digest('hex');
process.stdout.write(`${file} is ready: ${Math.ceil(bytes.length / 1024)} KB, SHA-256 ${sha256}\n`);
