import { askAnything } from './ask-anything.ts';
import type { Connection } from './connection.ts';
import type { DemoContext } from './demo-context.ts';
import { showAccess } from './grant-access.ts';
import { showLessons } from './restructure-course.ts';
import { showBuyers } from './show-buyers.ts';

export interface Facts extends Pick<Connection, 'serverName' | 'serverVersion' | 'toolCount'> {
  students: number;
  orders: number;
}

function introduce({ screen }: DemoContext, { serverName, serverVersion, toolCount, students, orders }: Facts): void {
  screen.heading(`${serverName} ${serverVersion}, a demonstration`);
  screen.say(
    `An MCP server for an online academy, with ${toolCount} tools. It runs as a separate process, and a real MCP client talks to it over stdin and stdout, as an assistant does. Lines with an arrow are tool calls.`,
  );
  screen.say(
    `All data are made up: an embedded academy with ${students} students and ${orders} orders replaces a real one, and nothing leaves this machine.`,
  );
}

function sayGoodbye({ screen }: DemoContext): void {
  screen.heading('What next?');
  screen.say('Connect your own assistant to this made-up academy:');
  screen.answer(['academy-mcp --sandbox']);
  screen.say('Or to your real one: set ACADEMY_BASE_URL and ACADEMY_API_KEY as the README shows, and check them with:');
  screen.answer(['academy-mcp doctor']);
  screen.say('In a checkout, run node dist/main.js instead of academy-mcp.');
}

/** Runs all sections in order. Throws at the first wrong answer. */
export async function runDemo(demo: DemoContext, facts: Facts): Promise<void> {
  introduce(demo, facts);
  const sales = await showBuyers(demo);
  await showLessons(demo, sales.best);
  await showAccess(demo, sales);
  await askAnything(demo);
  sayGoodbye(demo);
}
