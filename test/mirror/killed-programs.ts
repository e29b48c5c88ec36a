import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { callOf, hello, messagesIn, type Running, start } from '../support/program.ts';

/** Starts the built program with a mirror file, and asks for the tools, so that it begins to fill. */
export function startFilling(sandbox: Sandbox, file: string): Running {
  const running = start([], {
    ACADEMY_BASE_URL: sandbox.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_MIRROR: file,
  });
  running.send(...hello, { id: 2, method: 'tools/list' });
  return running;
}

/** The answer to a call of the program, by its number. */
export async function answerTo(running: Running, id: number, name: string, args: Record<string, unknown> = {}) {
  running.send(callOf(id, name, args));
  const find = () => messagesIn(wholeLines(running)).find((message) => message.id === id)?.result;
  await expect.poll(find, { timeout: 30_000, interval: 50 }).toBeDefined();
  return find()?.structuredContent as Record<string, unknown> | undefined;
}

const wholeLines = ({ written }: Running) => written.stdout.slice(0, written.stdout.lastIndexOf('\n') + 1);

/** Kills the program after a while that differs each time, and waits until it is gone. */
export async function killAfter(running: Running, milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  running.child.kill('SIGKILL');
  await running.ended;
}

/** Files that were set aside as damaged, or that a killed program left half written. */
export function leftOver(file: string): string[] {
  if (!existsSync(dirname(file))) return [];
  return readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.damaged`));
}
