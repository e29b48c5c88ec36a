import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { at } from '../support/academy.ts';
import { apps, type Era, eras, type Person } from '../support/eras.ts';
import { startHttp } from '../support/http-server.ts';

/** The real server over HTTP with its own academy, and a client that has MCP Apps, by default of 2025-11-25. */
export async function startServer(
  sandbox: SandboxOptions = {},
  settings: Record<string, string> = {},
  person?: Person,
  era: Era = at(eras, 0),
) {
  const server = await startHttp(settings, { sandbox: { seed: 7, ...sandbox } });
  const client = await era.connect({ url: server.url }, person, apps);
  return { client, sandbox: server.sandbox };
}
