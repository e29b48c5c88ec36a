import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { findPeers } from '../bench/peers/peers.ts';
import { program } from '../bench/programs.ts';
import { freePort } from '../support/free-port.ts';
import type { World } from './academy.ts';

/** How to start an MCP server on stdin and stdout. */
export interface Launch {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

const variants: Readonly<Record<string, Record<string, string>>> = {
  ours: {},
  'ours:read-only': { ACADEMY_READ_ONLY: 'true' },
  'ours:mirror': { ACADEMY_MIRROR: 'memory' },
};

/** Requests that a server makes for itself, whatever the task: the mirror copies the academy once. */
export const ownRequests = (name: string): number => (name === 'ours:mirror' ? 80 : 0);

const addressOf = ({ url, apiKey }: World) => ({ ACADEMY_BASE_URL: url, ACADEMY_API_KEY: apiKey });

function ownEnvironment(name: string, world: World): Record<string, string> | undefined {
  const variant = variants[name];
  return variant && { ...addressOf(world), ACADEMY_RATE_LIMIT: 'off', LOG_LEVEL: 'silent', ...variant };
}

/** `proxy` makes its tools from our OpenAPI document. Any other name is a command, which gets the address in its environment. */
export async function launchOf(name: string, world: World): Promise<Launch> {
  const own = ownEnvironment(name, world);
  if (own !== undefined) return { command: process.execPath, args: [program], env: own };
  if (name === 'proxy') {
    const { file, args = [], environment } = (await findPeers()).ivotoby.launch(addressOf(world));
    return { command: process.execPath, args: [file, ...args], env: environment };
  }
  const { PATH = '', HOME = '' } = process.env;
  return { command: 'sh', args: ['-c', name], env: { PATH, HOME, ...addressOf(world) } };
}

/** Ours over HTTP, for who plays by hand. */
export async function serveOverHttp(name: string, world: World): Promise<{ url: string; child: ChildProcess }> {
  const env = ownEnvironment(name, world);
  if (env === undefined) throw new Error(`over HTTP there are ${Object.keys(variants).join(', ')}`);
  const port = await freePort();
  const child = spawn(process.execPath, [program, 'http', '--port', String(port)], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt += 1) {
    const isReady = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { url: `${url}/mcp`, child };
    await delay(100);
  }
  throw new Error('the server did not start');
}
