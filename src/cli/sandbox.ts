import { readFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { FlagError } from '../config/load.ts';
import { isDateOrTime } from '../contract/schemas/input-fields.ts';
import { parseAccountsFile } from '../sandbox/accounts.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { courseId, firstIssue, optionFields, type SandboxOptions, webhook } from '../sandbox/options.ts';
import { timeOf } from '../sandbox/state/collections.ts';
import { type CommandContext, untilAborted } from './command-context.ts';

const defaultPort = 4010;

/** Makes the parser of a flag from the schema of its option. Commander puts the flag's name before the message. */
function checked<Schema extends z.ZodType>(schema: Schema, read: (text: string) => unknown) {
  return (text: string): z.output<Schema> => {
    const result = schema.safeParse(read(text));
    if (result.success) return result.data;
    const words = firstIssue(result.error);
    throw new InvalidArgumentError(`${words.charAt(0).toUpperCase()}${words.slice(1)}.`);
  };
}

function repeated<Schema extends z.ZodType>(schema: Schema, read: (text: string) => unknown) {
  const parse = checked(schema, read);
  return (text: string, before: unknown) => [...(Array.isArray(before) ? before : []), parse(text)];
}

/** Accepts only plain decimal numbers: Number('') is 0 and Number('0x10') is 16. */
const toNumber = (text: string): unknown => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text);

function toDate(text: string): Date {
  if (!isDateOrTime(text)) throw new InvalidArgumentError('Must be an ISO 8601 date or time.');
  return new Date(timeOf(text));
}

/** The URL may contain more equals signs. */
function toWebhook(text: string): unknown {
  const [event, ...url] = text.split('=');
  return { event, url: url.join('=') };
}

type OptionName = Exclude<keyof typeof optionFields, 'accounts' | 'log'>;
type Parser = (text: string, before: unknown) => unknown;

/** The flags of options. Default of a parser: by the schema of the option. The help names that schema's default, too. */
const flags: readonly [option: OptionName, flag: string, help: string, parse?: Parser][] = [
  ['host', '--host <address>', 'address to listen on'],
  ['port', '--port <number>', `port to listen on; 0 picks a free one (default: ${defaultPort})`],
  ['apiKey', '--api-key <key>', 'API key of an admin'],
  ['studentKey', '--student-key <key>', 'API key of a user who is not an admin'],
  ['plan', '--plan <plan>', 'plan of the account'],
  ['rateLimit', '--rate-limit <number|off>', 'requests a minute (default: 60, or 300 on the academy plan)'],
  ['seed', '--seed <number>', 'seed of the made-up data'],
  ['students', '--students <number>', 'number of students'],
  ['orders', '--orders <number>', 'number of orders'],
  ['now', '--now <iso>', 'time when the data end and the clock starts (default: the current time)', toDate],
  ['webhooks', '--webhook <event=url>', 'URL to send an event to; repeatable', repeated(webhook, toWebhook)],
  ['data', '--data <file>', 'file that keeps accepted writes across restarts (default: none)'],
  ['latencyMs', '--latency <ms>', 'delay of each answer in milliseconds'],
  ['failRate', '--fail <rate>', 'fraction of requests that fail, 0 to 1'],
  [
    'sequence',
    '--sequence <mode>',
    'when a lesson gets a sequence number in use: keep all numbers, or shift the others',
  ],
  ['activity', '--activity <number>', 'simulated events a minute, such as orders and posts'],
  [
    'protectedCourses',
    '--protect-course <id>',
    'answer 403 to a progress reset of this course; repeatable',
    repeated(courseId, toNumber),
  ],
];

export function addSandboxFlags(command: Command): Command {
  for (const [name, flag, help, parse] of flags) {
    const schema = optionFields[name];
    const { data: usual } = schema.safeParse(undefined);
    const isNamed = help.includes('(default: ') || parse !== undefined;
    const option = new Option(flag, isNamed ? help : `${help} (default: ${usual})`);
    const inner = schema.unwrap();
    if (inner instanceof z.ZodEnum) option.choices(inner.options);
    else
      option.argParser<unknown>(
        parse ?? checked(schema, (text) => (schema.safeParse(text).success ? text : toNumber(text))),
      );
    command.addOption(option);
  }
  return command.option(
    '--accounts <file>',
    'JSON file with a list of accounts; the first one answers at the root path',
  );
}

export function createCommand({ stdout, signal }: Pick<CommandContext, 'stdout' | 'signal'>): Command {
  const write = (line: string) => void stdout.write(`${line}\n`);
  return addSandboxFlags(new Command('sandbox')).action(async (options: Record<string, unknown>) => {
    const sandbox = await startSandbox({ ...(await optionsOf(options)), log: write });
    for (const line of introduction(sandbox)) write(line);
    await untilAborted(signal);
    await sandbox.close();
  });
}

async function optionsOf({ accounts: file, ...flagValues }: Record<string, unknown>): Promise<SandboxOptions> {
  const named = flags.map(([name, flag]) => [name, flagValues[new Option(flag).attributeName()]]);
  const options: SandboxOptions = {
    port: defaultPort,
    ...Object.fromEntries(named.filter(([, value]) => value !== undefined)),
  };
  if (typeof file !== 'string') return options;
  if (options.apiKey !== undefined || options.studentKey !== undefined)
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
