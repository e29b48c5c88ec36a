import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Command } from 'commander';
import * as z from 'zod';
import { demoPage } from '../../tools/views.ts';
import { startSandbox } from '../sandbox/index.ts';
import { type CommandContext, untilAborted } from './command-context.ts';
import { type Ask, type Connection, connect, createAsk } from './demo/connection.ts';

// Questions, each with the call that answers it. The made-up academy has the same courses and lessons each time.

const course = { id: 5, title: 'Photography: Light and Lens' };
const robin = { email: 'robin.example@example.com', name: 'Robin Example' };

const found = z.object({ buyers: z.array(z.object({ email: z.string() })) });
const planned = z.object({ base_version: z.string() });
const written = z.object({ change_id: z.string() });
const changed = z.object({ changes: z.array(written).length(3) });

/** Lessons that become of interest: the last of a module, and the first. */
const [shadows, firstLesson] = [1074, 1071];

/** Rows of the list with people who hold the course already. */
const known = 10;
/** People who are new, and a row with a mistake. */
const added = [...Array(19).keys()].map((index) => `student.${index + 1}@example.com;Example Student ${index + 1}`);
const wrong = 'dora.example@;Example Student';

const sql =
  "SELECT email_key AS email, count(*) AS orders FROM orders WHERE status IN ('paid', 'wallet_executed') AND amount_e4 > 0 GROUP BY email_key ORDER BY orders DESC, email LIMIT 5";

async function runSteps(heading: (text: string) => void, ask: Ask): Promise<void> {
  heading('Who bought a course last week?');
  await ask('What sold last week?', 'sales_report', { period: 'last_week', group_by: 'product' });
  const who = `Who bought “${course.title}” last week?`;
  const { buyers } = await ask(who, 'find_buyers', { product: course.title, period: 'last_week' }, found);

  heading('Restructure a course');
  const course_id = course.id;
  const moves = [{ lesson_id: shadows, module_id: 219, position: 2 }];
  await ask(`What is in “${course.title}”?`, 'get_course_structure', { course_id });
  const move = 'Move “Shadows as shapes” to the module “The camera”, to place 2. What would that change?';
  const { base_version } = await ask(move, 'plan_course_outline', { course_id, moves }, planned);
  const outline = { course_id, moves, base_version, confirm: true };
  const { change_id } = await ask('Yes, do that.', 'apply_course_outline', outline, written);
  await ask('I liked it better before.', 'undo_change', { change_ids: [change_id], confirm: true });

  heading('Help a student');
  await ask('Robin Example gets “Watercolour Basics” as a present.', 'enroll_student', { ...robin, course_id: 6 });
  const { email } = robin;
  await ask('What does Robin have?', 'student_profile', { email });
  await ask('Robin cannot open “Python from Zero”. Why?', 'diagnose_access', { email, product: 'Python from Zero' });
  await ask('Then give it as a present.', 'enroll_student', { email, course_id: 9 });
  await ask('Does it work now?', 'diagnose_access', { email, product: 'Python from Zero' });
  // Without confirm: true, nothing is sent.
  await ask('Oh no, take it away again!', 'revoke_course', { ...robin, course_id: 9 });

  heading('Take changes back');
  const price = { product_type: 'course', id_or_slug: String(course_id), price: '12.00' };
  await ask(`“${course.title}” costs 12 now.`, 'update_product', price);
  await ask('Its first lesson is called “Welcome”.', 'update_lesson', { lesson_id: firstLesson, title: 'Welcome' });
  await ask('And Robin gets it, too.', 'enroll_student', { email, course_id });
  const { changes } = await ask('What did you change just now?', 'list_changes', { limit: 3 }, changed);
  const change_ids = changes.map((change) => change.change_id);
  await ask('Undo all three.', 'undo_change', { change_ids });
  await ask('Yes, undo them.', 'undo_change', { change_ids, confirm: true });

  heading('Enroll a class from a spreadsheet');
  const old = buyers.slice(0, known).map((buyer) => `${buyer.email};`);
  const rows = [...old, ...added, wrong];
  const roster = { product: `course ${course_id}`, csv: ['E-Mail;Name', ...rows].join('\r\n') };
  await ask(`This is the class of “${course.title}” now: ${rows.length} rows. Is everybody in?`, 'sync_roster', roster);
  await ask('Yes, add them.', 'sync_roster', { ...roster, confirm: true });

  heading('Ask anything');
  await ask('Read the academy into your copy.', 'refresh_data', {});
  await ask('Who buys most often?', 'query_data', { sql });
}

const callBody = z.object({ name: z.string().max(100), arguments: z.record(z.string(), z.unknown()).default({}) });

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  response.end(body);
}

const htmlType = 'text/html; charset=utf-8';
const jsonType = 'application/json';

interface ViewPages {
  readonly connection: Pick<Connection, 'call' | 'readView'>;
  readonly hostPage: () => Promise<string>;
}

type Answer = readonly [status: number, contentType: string, body: string];

const notFound: Answer = [404, 'text/plain', 'Not found\n'];

/** Answers one request for what is below the secret part of the address. */
async function answer({ connection, hostPage }: ViewPages, path: string, request: IncomingMessage): Promise<Answer> {
  const view = /^(\w+)\.html$/.exec(path)?.[1];
  if (request.method === 'POST' && path === 'call') {
    const { name, arguments: args } = callBody.parse(await json(request));
    return [200, jsonType, JSON.stringify(await connection.call(name, args))];
  }
  if (request.method === 'GET' && path === '') return [200, htmlType, await hostPage()];
  if (request.method === 'GET' && view !== undefined)
    return [200, htmlType, await connection.readView(`ui://academy/${view}.html`)];
  return notFound;
}

export async function serveViews(pages: ViewPages) {
  const secret = randomBytes(16).toString('hex');
  const server = createServer(async (request, response) => {
    // Not parsed as a URL, which throws for a path such as "//".
    const [path = ''] = (request.url ?? '/').split('?');
    const [, first, ...rest] = path.split('/');
    if (first !== secret) return send(response, ...notFound);
    const answered = answer(pages, rest.join('/'), request);
    const failed = (error: unknown): Answer => [400, jsonType, JSON.stringify({ error: String(error) })];
    send(response, ...(await answered.catch(failed)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    /** The address for the person's browser. Its last part is secret: other pages cannot guess it. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}/`,
    close: async () => {
      server.closeAllConnections();
      await promisify(server.close.bind(server))();
    },
  };
}

/** The same people and courses each time. At the rate limit of a real academy, the 350 requests would take minutes. */
const academy = { seed: 7, students: 600, orders: 3000, rateLimit: 1200 };

// `start` takes its first argument in quotes as the title of a window.
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', '""'],
};

/** Tries to open an address in the person's browser, except in CI. Whether that worked is not known: print it, too. */
function openBrowser(url: string, { platform, environment }: CommandContext): void {
  if (environment.CI) return;
  const [command = 'xdg-open', ...args] = openers[platform] ?? [];
  const options = { env: { ...environment }, detached: true, stdio: 'ignore' } as const;
  const opener = spawn(command, [...args, url], { ...options, windowsVerbatimArguments: true });
  opener.once('error', () => {});
  opener.unref();
}

async function showViews(connection: Connection, context: CommandContext, signal: AbortSignal): Promise<void> {
  const server = await serveViews({ connection, hostPage: demoPage });
  openBrowser(server.url, context);
  context.stdout.write(`Open ${server.url} in a browser of this machine. Press Ctrl-C to end.\n`);
  await untilAborted(signal);
  await server.close();
}

async function runDemo(connection: Connection, { stdout }: CommandContext): Promise<void> {
  const say = (text: string) => void stdout.write(`${text}\n`);
  const heading = (text: string) => say(`\n# ${text}`);
  heading(`${connection.server}, a demonstration`);
  say(
    `An MCP server for an online academy, with ${connection.toolCount} tools. It runs as a separate process, and a real MCP client talks to it
over stdin and stdout, as an assistant does. Lines with an arrow are tool calls; their answers follow.
All data are made up: an embedded academy with ${academy.students} students and ${academy.orders} orders replaces a real one, and nothing leaves
this machine.`,
  );
  await runSteps(heading, createAsk(connection, say));
  heading('What next?');
  say(
    `Connect your own assistant to this made-up academy: academy-mcp --sandbox
Or to your real one: set ACADEMY_BASE_URL and ACADEMY_API_KEY as the README shows, and check them with: academy-mcp doctor
In a checkout, run node dist/main.js instead of academy-mcp.`,
  );
}

async function runCommand(context: CommandContext, open: boolean): Promise<void> {
  // Ends with the process, and when stdout closes (`demo | head`).
  const closed = new AbortController();
  context.stdout.on('error', () => closed.abort());
  const signal = AbortSignal.any([context.signal, closed.signal]);
  // Every call adds a listener. Node would warn of a leak from the eleventh on.
  setMaxListeners(0, signal);
  const sandbox = await startSandbox({ ...academy, now: new Date() });
  let connection: Connection | undefined;
  try {
    connection = await connect(context, sandbox, { rateLimit: academy.rateLimit, signal });
    if (open) await showViews(connection, context, signal);
    else await runDemo(connection, context);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // An error of zod has several lines.
    throw new Error(signal.aborted ? 'the demo was stopped' : message.replace(/\s+/g, ' '), { cause: error });
  } finally {
    await connection?.close();
    await sandbox.close();
  }
}

/** `academy-mcp demo`. Rejects with a one-line error if an answer is an error. */
export function createCommand(context: CommandContext): Command {
  return new Command('demo')
    .option('--open', 'show the interactive views in a browser instead')
    .action(({ open = false }: { open?: boolean }) => runCommand(context, open));
}
