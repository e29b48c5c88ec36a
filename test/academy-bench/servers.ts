import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { findPeers } from '../bench/peers/peers.ts';
import { inScope } from '../support/at-end.ts';
import { listen } from '../support/listen.ts';
import { program, startHttpProgram } from '../support/program.ts';
import { openWorld, type World } from './academy.ts';
import { situation } from './players.ts';
import { score, type Task } from './task.ts';

export type Launch = Awaited<ReturnType<typeof launchOf>>;

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
export async function launchOf(name: string, world: World) {
  const own = ownEnvironment(name, world);
  if (own !== undefined) return { command: process.execPath, args: [program], env: own };
  if (name === 'proxy') {
    const { file, args = [], environment } = (await findPeers()).ivotoby.launch(addressOf(world));
    return { command: process.execPath, args: [file, ...args], env: environment };
  }
  const { PATH = '', HOME = '' } = process.env;
  return { command: 'sh', args: ['-c', name], env: { PATH, HOME, ...addressOf(world) } };
}

/** Where `score` finds a task that `start` has begun in this checkout. Others on the machine may play the same task. */
const noteOf = (name: string) => `build/academy-bench/started/${name}.json`;

export async function startByHand(task: Task, server: string): Promise<void> {
  const { name } = task;
  if (existsSync(noteOf(name))) throw new Error(`${name} is started already; if it is not, remove ${noteOf(name)}`);
  await inScope(async () => {
    const world = await openWorld(task.arrangement);
    const environment = ownEnvironment(server, world);
    if (environment === undefined) throw new Error(`over HTTP there are ${Object.keys(variants).join(', ')}`);
    const { url } = await startHttpProgram({ environment, stderr: 'inherit' });
    const scored = new EventEmitter();
    const control = await listen(async (request, response) => {
      const result = await score(task, world, await text(request), ownRequests(server));
      response.end(JSON.stringify(result, null, 2), () => scored.emit('scored'));
    });
    mkdirSync(dirname(noteOf(name)), { recursive: true });
    writeFileSync(noteOf(name), JSON.stringify({ control: control.url }));
    process.stdout.write(
      `${situation}\n\n${task.instruction}\n\nMCP server: ${url}\nThen: npm run academy-bench -- score ${name} --answer FILE\n`,
    );
    await Promise.race([once(scored, 'scored'), once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    rmSync(noteOf(name), { force: true });
  });
}

export async function scoreByHand(name: string, answerFile: string): Promise<string> {
  if (!existsSync(noteOf(name))) throw new Error(`${name} is not started`);
  const { control } = JSON.parse(readFileSync(noteOf(name), 'utf8')) as { control: string };
  const response = await fetch(control, { method: 'POST', body: readFileSync(answerFile, 'utf8') });
  return response.text();
}
