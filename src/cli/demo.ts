import { setMaxListeners } from 'node:events';
import { Command } from 'commander';
import { demoPage } from '../../tools/views.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { type CommandContext, untilAborted } from './command-context.ts';
import { showAccess } from './demo/access.ts';
import { type Connection, connect, createDemoContext, type DemoContext } from './demo/connection.ts';
import { showLessons } from './demo/course.ts';
import { openBrowser } from './demo/open-browser.ts';
import { askAnything, showBuyers } from './demo/sales.ts';
import { createScreen } from './demo/screen.ts';
import { serveViews } from './demo/serve-views.ts';
import { showUndo } from './demo/undo.ts';

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

/** Runs all sections in order. Throws at the first wrong answer. */
async function runDemo(demo: DemoContext, { server, toolCount }: Connection): Promise<void> {
  const { screen } = demo;
  screen.heading(`${server}, a demonstration`);
  screen.say(
    `An MCP server for an online academy, with ${toolCount} tools. It runs as a separate process, and a real MCP client talks to it over stdin and stdout, as an assistant does. Lines with an arrow are tool calls.`,
  );
  screen.say(
    `All data are made up: an embedded academy with ${academy.students} students and ${academy.orders} orders replaces a real one, and nothing leaves this machine.`,
  );
  const sales = await showBuyers(demo);
  await showLessons(demo, sales.best);
  await showAccess(demo, sales);
  await showUndo(demo, sales);
  await askAnything(demo);
  screen.heading('What next?');
  screen.say('Connect your own assistant to this made-up academy:');
  screen.answer(['academy-mcp --sandbox']);
  screen.say('Or to your real one: set ACADEMY_BASE_URL and ACADEMY_API_KEY as the README shows, and check them with:');
  screen.answer(['academy-mcp doctor']);
  screen.say('In a checkout, run node dist/main.js instead of academy-mcp.');
}

async function runWithServer(sandbox: Sandbox, context: CommandContext, signal: AbortSignal, open: boolean) {
  const connection = await connect(context, sandbox, { rateLimit: academy.rateLimit, signal });
  try {
    if (open) return await showViews(connection, context, signal);
    const screen = createScreen(context.stdout, context.useColor);
    await runDemo(createDemoContext(connection, { screen, sandbox, signal }), connection);
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
    await runWithServer(sandbox, context, signal, open);
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
