import { readFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import type * as z from 'zod';
import { FlagError } from '../config/load.ts';
import { isDateOrTime } from '../contract/schemas/input-fields.ts';
import { parseAccountsFile } from '../sandbox/accounts.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import {
  courseId,
  firstIssue,
  optionFields,
  type SandboxOptions,
  type WebhookSubscription,
  webhook,
} from '../sandbox/options.ts';
import { type CommandContext, untilAborted } from './command-context.ts';

/** The validated flags of `academy-mcp sandbox`: options under their own names, or under those of the flags. */
interface SandboxFlags extends Omit<SandboxOptions, 'accounts'> {
  webhook?: WebhookSubscription[];
  latency?: number;
  fail?: number;
  protectCourse?: number[];
  accounts?: string;
}

const defaultPort = 4010;

export function addSandboxFlags(command: Command): Command {
  const fields = optionFields;
  return command
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', number(fields.port), defaultPort)
    .option('--api-key <key>', 'API key of an admin (default: sandbox-admin-key)', checked(fields.apiKey))
    .option(
      '--student-key <key>',
      'API key of a user who is not an admin (default: sandbox-student-key)',
      checked(fields.studentKey),
    )
    .addOption(new Option('--plan <plan>', 'plan of the account (default: standard)').choices(['standard', 'academy']))
    .option(
      '--rate-limit <number|off>',
      'requests a minute (default: 60, or 300 on the academy plan)',
      number(fields.rateLimit),
    )
    .option('--seed <number>', 'seed of the made-up data (default: 1)', number(fields.seed))
    .option('--students <number>', 'number of students (default: 500)', number(fields.students))
    .option('--orders <number>', 'number of orders (default: 2000)', number(fields.orders))
    .option('--now <iso>', 'time when the data end and the clock starts (default: the current time)', toDate)
    .option('--webhook <event=url>', 'URL to send an event to; repeatable', repeated(webhook, toWebhook))
    .option('--data <file>', 'file that keeps accepted writes across restarts (default: none)')
    .option('--latency <ms>', 'delay of each answer in milliseconds (default: 0)', number(fields.latencyMs))
    .option('--fail <rate>', 'fraction of requests that fail, 0 to 1 (default: 0)', number(fields.failRate))
    .addOption(
      new Option(
        '--sequence <mode>',
        'when a lesson gets a sequence number in use: keep all numbers, or shift the others (default: absolute)',
      ).choices(['absolute', 'shift']),
    )
    .option(
      '--activity <number>',
      'simulated events a minute, such as orders and posts (default: 0)',
      number(fields.activity),
    )
    .option(
      '--protect-course <id>',
      'answer 403 to a progress reset of this course; repeatable',
      repeated(courseId, toNumber),
    )
    .option('--accounts <file>', 'JSON file with a list of accounts; the first one answers at the root path');
}

/** Makes the parser of a flag from the schema of its option. Commander puts the flag's name before the message. */
function checked<Schema extends z.ZodType>(schema: Schema, read: (text: string) => unknown = (text) => text) {
  return (text: string): z.output<Schema> => {
    const result = schema.safeParse(read(text));
    if (result.success) return result.data;
    const words = firstIssue(result.error);
    throw new InvalidArgumentError(`${words.charAt(0).toUpperCase()}${words.slice(1)}.`);
  };
}

const number = <Schema extends z.ZodType>(schema: Schema) => checked(schema, toNumber);

/** The same for a flag that can be given several times. */
function repeated<Schema extends z.ZodType>(schema: Schema, read: (text: string) => unknown) {
  const parse = checked(schema, read);
  return (text: string, before: z.output<Schema>[] = []) => [...before, parse(text)];
}

/** Accepts only plain decimal numbers: Number('') is 0 and Number('0x10') is 16. */
function toNumber(text: string): unknown {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** A time without an offset is UTC. */
function toDate(text: string): Date {
  if (!isDateOrTime(text)) throw new InvalidArgumentError('Must be an ISO 8601 date or time.');
  const hasOffset = /(Z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes('T');
  return new Date(hasOffset ? text : `${text}Z`);
}

/** The URL may contain more equals signs. */
function toWebhook(text: string): unknown {
  const [event, ...url] = text.split('=');
  return { event, url: url.join('=') };
}

/** `academy-mcp sandbox`: runs only the embedded academy until the signal aborts. */
export function sandboxCommand({ stdout, signal }: Pick<CommandContext, 'stdout' | 'signal'>): Command {
  const write = (line: string) => void stdout.write(`${line}\n`);
  return addSandboxFlags(new Command('sandbox')).action(async (flags: SandboxFlags) => {
    const sandbox = await startSandbox({ ...(await optionsOf(flags)), log: write });
    for (const line of introduction(sandbox)) write(line);
    await untilAborted(signal);
    await sandbox.close();
  });
}

async function optionsOf(flags: SandboxFlags): Promise<SandboxOptions> {
  const { accounts: file, latency: latencyMs, fail: failRate, webhook: webhooks, protectCourse, ...same } = flags;
  const options = { ...same, latencyMs, failRate, webhooks, protectedCourses: protectCourse };
  if (file === undefined) return options;
  if (same.apiKey !== undefined || same.studentKey !== undefined)
    throw new FlagError('--accounts: the file contains the keys; leave out --api-key and --student-key');
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new FlagError(`--accounts: cannot read ${file}: ${error.message}`);
  });
  return { ...options, accounts: parseAccountsFile(text, file) };
}

function introduction({ accounts, url, apiKey, studentKey }: Sandbox): string[] {
  return [
    `Embedded academy listening on ${url}`,
    ...accounts.flatMap(({ subdomain, url, apiKeys, students, orders }) => [
      `  account ${subdomain}: ${url}  admin keys: ${apiKeys.join(', ')}`,
      `    made-up data: ${students} students, ${orders} orders`,
    ]),
    ...(studentKey === '' ? [] : [`  key of a user who is not an admin: ${studentKey}`]),
    `Try: curl -H 'Authorization: Bearer ${apiKey}' ${url}/api/v1/account`,
  ];
}
