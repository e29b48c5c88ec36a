import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { atEnd } from './at-end.ts';
import { readAnswer } from './connect.ts';
import type { Ended } from './program.ts';

/** The name of a client's own environment variable, which it passes on to every server. */
const passedOn = ['PATH', 'HOME', 'APPDATA', 'LOCALAPPDATA', 'SYSTEMROOT'];

function inherited(): Record<string, string> {
  return Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** An empty folder outside the project, so that no package of the project is found from there. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-mcp-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a server as a client does from its settings, in an empty folder, and connects to it over stdio. */
export async function startServer(
  command: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const env = { ...inherited(), ...environment };
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env,
    cwd: await emptyFolder(),
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  atEnd(() => client.close());
  await client.connect(transport);
  const call = async (name: string, input: Record<string, unknown> = {}) =>
    readAnswer((await client.callTool({ name, arguments: input })) as CallToolResult);
  return { client, call };
}

/** Runs a command to its end, with the variables of a client and these. */
export async function finish(
  command: string,
  args: readonly string[],
  { cwd, environment = {} }: { cwd?: string; environment?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const options = { cwd: cwd ?? (await emptyFolder()), env: { ...inherited(), ...environment } };
  const run = promisify(execFile)(command, args, options);
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}
