import { setMaxListeners } from 'node:events';
import { Command } from 'commander';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import type { CommandContext } from './command-context.ts';
import { connect } from './demo/connection.ts';
import { createScreen } from './demo/screen.ts';
import { runDemo } from './demo/script.ts';
import { createDemoContext } from './demo/stage.ts';

/**
 * Enough orders for a good week; the same people and courses each time. With the limit of the academy plan: where the first
 * buyers hold everything, the demo looks further, and nobody should watch it wait.
 */
const academy = { seed: 7, students: 600, orders: 3000, rateLimit: 300 };

async function runOn(sandbox: Sandbox, context: CommandContext, signal: AbortSignal): Promise<void> {
  const { runtime, program, stdout, useColor } = context;
  const { url: baseUrl, apiKey } = sandbox;
  const connection = await connect({ runtime, program, baseUrl, apiKey, rateLimit: academy.rateLimit, signal });
  try {
    const stage = createDemoContext({ connection, screen: createScreen(stdout, useColor), sandbox, signal });
    await runDemo(stage, { ...connection, ...academy });
  } finally {
    await connection.close();
  }
}

/** Aborts with the process, and when nobody reads any more (`demo | head`). */
function endOf({ signal, stdout }: CommandContext): AbortSignal {
  const unread = new AbortController();
  stdout.on('error', () => unread.abort());
  const end = AbortSignal.any([signal, unread.signal]);
  // Every call listens to it; Node warns from 11 on, as of a leak.
  setMaxListeners(0, end);
  return end;
}

async function demo(context: CommandContext): Promise<void> {
  const signal = endOf(context);
  const sandbox = await startSandbox({ ...academy, now: new Date() });
  try {
    await runOn(sandbox, context, signal);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A schema's complaint has many lines.
    throw new Error(signal.aborted ? 'the demo was stopped' : message.replace(/\s+/g, ' '), { cause: error });
  } finally {
    await sandbox.close();
  }
}

/**
 * `academy-mcp demo`: an embedded academy, the built server as a child, a real MCP client between them, and the
 * questions of the three uses with their answers checked. Rejects with one line when an answer is wrong.
 */
export function demoCommand(context: CommandContext): Command {
  return new Command('demo')
    .description('ask an embedded academy real questions through a real MCP client')
    .action(() => demo(context));
}
