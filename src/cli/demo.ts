import { setMaxListeners } from 'node:events';
import { Command } from 'commander';
import { demoPage } from '../../tools/views.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { type CommandContext, untilAborted } from './command-context.ts';
import { type Connection, connect } from './demo/connection.ts';
import { createDemoContext } from './demo/demo-context.ts';
import { openBrowser } from './demo/open-browser.ts';
import { createScreen } from './demo/screen.ts';
import { runDemo } from './demo/script.ts';
import { serveViews } from './demo/serve-views.ts';

/**
 * Enough orders for a good week, and the same people and courses each time. The rate limit is that of the academy plan:
 * the demo may have to look up several buyers, and should not make its viewer wait.
 */
const academy = { seed: 7, students: 600, orders: 3000, rateLimit: 300 };

/** Serves the views until the person ends the command. */
async function showViews(connection: Connection, context: CommandContext, signal: AbortSignal): Promise<void> {
  const server = await serveViews({ connection, hostPage: demoPage }, 0);
  const isOpened = await openBrowser(server.url, context);
  const what = isOpened ? `Opened ${server.url} in your browser` : `Open ${server.url} in a browser of this machine`;
  context.stdout.write(`${what}. Press Ctrl-C to end.\n`);
  await untilAborted(signal);
  await server.close();
}

interface Run {
  readonly signal: AbortSignal;
  readonly open: boolean;
}

async function runWithServer(sandbox: Sandbox, context: CommandContext, { signal, open }: Run): Promise<void> {
  const { runtime, program, stdout, useColor } = context;
  const { url: baseUrl, apiKey } = sandbox;
  const connection = await connect({ runtime, program, baseUrl, apiKey, rateLimit: academy.rateLimit, signal });
  try {
    if (open) return await showViews(connection, context, signal);
    const demo = createDemoContext({ connection, screen: createScreen(stdout, useColor), sandbox, signal });
    await runDemo(demo, { ...connection, ...academy });
  } finally {
    await connection.close();
  }
}

/** Aborts with the process, and when stdout closes (`demo | head`). */
function endOf({ signal, stdout }: CommandContext): AbortSignal {
  const closed = new AbortController();
  stdout.on('error', () => closed.abort());
  const end = AbortSignal.any([signal, closed.signal]);
  // Every call adds a listener. Node would warn of a leak from the eleventh on.
  setMaxListeners(0, end);
  return end;
}

async function runCommand(context: CommandContext, open: boolean): Promise<void> {
  const signal = endOf(context);
  const sandbox = await startSandbox({ ...academy, now: new Date() });
  try {
    await runWithServer(sandbox, context, { signal, open });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // An error of zod has several lines.
    throw new Error(signal.aborted ? 'the demo was stopped' : message.replace(/\s+/g, ' '), { cause: error });
  } finally {
    await sandbox.close();
  }
}

/**
 * `academy-mcp demo`: starts an embedded academy and the built server, asks the questions of the main uses through
 * a real MCP client, and checks the answers. Rejects with a one-line error if an answer is wrong. With --open, it shows
 * the views in the person's browser instead.
 */
export function demoCommand(context: CommandContext): Command {
  return new Command('demo')
    .description('ask an embedded academy real questions through a real MCP client')
    .option('--open', 'show the interactive views in a browser instead')
    .action(({ open = false }: { open?: boolean }) => runCommand(context, open));
}
