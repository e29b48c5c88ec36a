import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { openWorld } from './academy.ts';
import { situation } from './players.ts';
import { ownRequests, serveOverHttp } from './servers.ts';
import { loadTask, score } from './task.ts';

/** Where `score` finds a task that `start` has begun in this checkout. Others on the machine may play the same task. */
const noteOf = (name: string) => `build/academy-bench/started/${name}.json`;

/** Opens the academy of a task, with a server for it, until its answer is scored. */
export async function startByHand(name: string, server: string): Promise<void> {
  if (existsSync(noteOf(name))) throw new Error(`${name} is started already; if it is not, remove ${noteOf(name)}`);
  const task = await loadTask(name);
  const world = await openWorld(task.arrangement);
  const { url, child } = await serveOverHttp(server, world);
  const control = createServer(async (request, response) => {
    const result = await score(task, world, await text(request), ownRequests(server));
    response.end(JSON.stringify(result, null, 2), () => control.emit('scored'));
  }).listen(0, '127.0.0.1');
  await once(control, 'listening');
  const { port } = control.address() as AddressInfo;
  mkdirSync(dirname(noteOf(name)), { recursive: true });
  writeFileSync(noteOf(name), JSON.stringify({ control: `http://127.0.0.1:${port}` }));
  process.stdout.write(
    `${situation}\n\n${task.instruction}\n\nMCP server: ${url}\nThen: npm run academy-bench -- score ${name} --answer FILE\n`,
  );
  await Promise.race([once(control, 'scored'), once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  rmSync(noteOf(name), { force: true });
  control.close().closeAllConnections();
  child.kill();
  await once(child, 'exit');
  await world.close();
}

/** Scores the answer in a file, and ends the task. */
export async function scoreByHand(name: string, answerFile: string): Promise<string> {
  if (!existsSync(noteOf(name))) throw new Error(`${name} is not started`);
  const { control } = JSON.parse(readFileSync(noteOf(name), 'utf8')) as { control: string };
  const response = await fetch(control, { method: 'POST', body: readFileSync(answerFile, 'utf8') });
  return response.text();
}
