import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import { freePort } from '../support/listen.ts';
import { root } from './pages.ts';

/** `npm test` has installed and built already; a second build would replace the program while other tests run it. */
const already: [command: RegExp, instead: string][] = [
  [/npm (?:ci|run build)(?: && )?/g, ''],
  [/npm run demo -- --open/g, 'node dist/main.js demo --open'],
  [/npm run demo/g, 'node dist/main.js demo'],
];

/** What a block may do to be run here: it takes seconds, changes nothing outside of the process, and needs Node alone. */
const runnable =
  /^(?:npm (?:ci|run (?:build|demo|dev -- --sandbox))|npx tsx src\/main\.ts|node dist\/main\.js|curl|export)(?: |$)/;

/** The lines of a block that no test can run: such a block needs a mark. */
export function unrunnable(text: string): string[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  const commands = lines.flatMap((line) => line.replace(/ +#.*$/, '').split(' && ')).filter((line) => line !== '');
  return commands.filter((command) => !runnable.test(command.replace(/^(?:\w+=\S+ )+/, '')));
}

/** These run until they are stopped, and print their address when they are ready. */
const isServer = /^node dist\/main\.js (?:http|sandbox|demo --open)\b/m;
const address = /http:\/\/127\.0\.0\.1:\d+/;

type OnTestFinished = TestContext['onTestFinished'];

interface Session {
  /** Tests run at the same time, so each has its own. */
  readonly onTestFinished: OnTestFinished;
  /** What the document exported, for the "other terminal". */
  readonly environment: Record<string, string>;
  /** Documented address to the real one: every server gets a free port. */
  readonly addresses: Map<string, string>;
  /** Documented addresses of servers that run. */
  readonly started: Set<string>;
  /** For the copies of example files with those addresses. */
  readonly folder: string;
}

function prepare(text: string, { addresses, folder }: Session): string {
  const withAddresses = (written: string) =>
    [...addresses].reduce((all, [documented, real]) => all.replaceAll(documented, real), written);
  const commands = already.reduce((all, [command, instead]) => all.replace(command, instead), text);
  return withAddresses(commands).replaceAll(/docs\/examples\/([\w-]+\.json)/g, (path, name) => {
    const copy = join(folder, name);
    writeFileSync(copy, withAddresses(readFileSync(new URL(path, root), 'utf8')));
    return copy;
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function shell(script: string, { environment, folder, onTestFinished }: Session) {
  // Settings of clients are written into a folder of the test. With CI, nothing opens a browser.
  const env = { PATH: process.env.PATH, HOME: folder, CI: '1', ...environment };
  // Standard input has ended: a server on stdio ends at once.
  const cwd = fileURLToPath(root);
  const child = spawn('bash', ['-e', '-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  // Its group, since the commands are children of the shell.
  onTestFinished(() => endGroup(child.pid));
  return child;
}

async function outputOf(script: string, session: Session): Promise<string> {
  const child = shell(script, session);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`exit code ${code} of:\n${script}\n${output}`);
  return output;
}

/** A variable must have the same value in both terminals, even a random one. */
async function exportVariables(text: string, session: Session): Promise<string> {
  for (const [line, name = ''] of text.matchAll(/^export (\w+)=.*$/gm)) {
    session.environment[name] = await outputOf(`${line}\nprintf %s "$${name}"`, session);
  }
  return text.replace(/^export .*$/gm, '');
}

function documentedAddress(command: string): string {
  const [, port] = /--port (\d+)/.exec(command) ?? [];
  return `http://127.0.0.1:${port ?? (command.includes(' sandbox') ? 4010 : 3000)}`;
}

/** Every address that the blocks name or start a server on. Servers name each other, so all ports are known before. */
async function addressesIn(blocks: readonly string[]): Promise<Map<string, string>> {
  const started = blocks.filter((block) => isServer.test(block)).map(documentedAddress);
  const named = blocks.flatMap((block) => block.match(/http:\/\/127\.0\.0\.1:\d+/g) ?? []);
  const addresses = new Map<string, string>();
  for (const documented of new Set([...started, ...named])) {
    addresses.set(documented, `http://127.0.0.1:${await freePort()}`);
  }
  return addresses;
}

async function startServer(script: string, documented: string, session: Session): Promise<void> {
  const command = script.trim();
  // A page may start one server after the other: from then on, its address is that of the new one.
  if (session.started.has(documented)) session.addresses.set(documented, `http://127.0.0.1:${await freePort()}`);
  session.started.add(documented);
  const port = session.addresses.get(documented)?.split(':').at(-1);
  const withPort = `${command.replace(/ --port \d+/, '')} --port ${port}`;
  // The demo takes any free port.
  const child = shell(`exec ${command.endsWith('demo --open') ? command : withPort}`, session);
  let output = '';
  return await new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output += chunk;
      if (address.test(output)) resolve();
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.on('close', (code) => reject(new Error(`exit code ${code} of:\n${command}\n${output}`)));
  });
}

/** Runs the blocks of one document from top to bottom, as a reader would, each server in a terminal of its own. */
export async function runBlocks(blocks: readonly string[], onTestFinished: OnTestFinished): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'academy-blocks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const addresses = await addressesIn(blocks);
  const session: Session = { onTestFinished, environment: {}, addresses, started: new Set(), folder };
  for (const block of blocks) {
    const script = await exportVariables(prepare(block, session), session);
    if (isServer.test(script)) await startServer(script, documentedAddress(block), session);
    else await outputOf(script.replaceAll('curl ', 'curl --fail '), session);
  }
}
