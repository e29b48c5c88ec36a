import { type Command, InvalidArgumentError, Option } from 'commander';
import type * as z from 'zod';
import { isDateOrTime } from '../contract/schemas/date-time.ts';
import { courseId, firstIssue, optionFields, type WebhookSubscription, webhook } from '../sandbox/options.ts';

/** The flags of `academy-mcp sandbox`, checked. */
export interface SandboxFlags {
  host: string;
  port: number;
  apiKey?: string;
  studentKey?: string;
  plan?: 'standard' | 'academy';
  rateLimit?: number | 'off';
  seed?: number;
  students?: number;
  orders?: number;
  now?: Date;
  webhook?: WebhookSubscription[];
  data?: string;
  latency?: number;
  fail?: number;
  sequence?: 'absolute' | 'shift';
  activity?: number;
  protectCourse?: number[];
  accounts?: string;
}

const defaultPort = 4010;

export function addSandboxFlags(command: Command): Command {
  const fields = optionFields;
  return command
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 takes a free one', checked(fields.port, toNumber), defaultPort)
    .option('--api-key <key>', "an admin's key (default: sandbox-admin-key)", checked(fields.apiKey))
    .option(
      '--student-key <key>',
      'key of a user who is no admin (default: sandbox-student-key)',
      checked(fields.studentKey),
    )
    .addOption(new Option('--plan <plan>', 'plan of the account (default: standard)').choices(['standard', 'academy']))
    .option(
      '--rate-limit <number|off>',
      'requests a minute (default: 60, or 300 on the academy plan)',
      checked(fields.rateLimit, toNumber),
    )
    .option('--seed <number>', 'what the made-up data follow from (default: 1)', checked(fields.seed, toNumber))
    .option('--students <number>', 'how many students (default: 500)', checked(fields.students, toNumber))
    .option('--orders <number>', 'how many orders (default: 2000)', checked(fields.orders, toNumber))
    .option('--now <iso>', 'time at which the data end and the clock starts (default: the real time)', toDate)
    .option('--webhook <event=url>', 'where to send an event; repeatable', toWebhooks)
    .option('--data <file>', 'journal of accepted writes, read at start; without it nothing is kept')
    .option('--latency <ms>', 'hold each answer back for this long (default: 0)', checked(fields.latencyMs, toNumber))
    .option('--fail <rate>', 'share of requests that fail, 0 to 1 (default: 0)', checked(fields.failRate, toNumber))
    .addOption(
      new Option(
        '--sequence <mode>',
        'a lesson put at a taken place: keep all numbers, or shift the others (default: absolute)',
      ).choices(['absolute', 'shift']),
    )
    .option('--activity <number>', 'activities a minute (default: 0)', checked(fields.activity, toNumber))
    .option('--protect-course <id>', 'answer 403 to a reset of this course; repeatable', toCourses)
    .option('--accounts <file>', 'JSON list of several accounts; the first answers at the root');
}

/** A parser for one flag from the schema of the option; commander puts the flag's name before the message. */
function checked<Schema extends z.ZodType>(schema: Schema, read: (text: string) => unknown = (text) => text) {
  return (text: string): z.output<Schema> => {
    const result = schema.safeParse(read(text));
    if (result.success) return result.data;
    throw new InvalidArgumentError(sentence(firstIssue(result.error)));
  };
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Number('') is 0 and Number('0x10') is 16: only plain decimal numbers are taken. */
function toNumber(text: string): unknown {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** A time without an offset is in UTC. */
function toDate(text: string): Date {
  if (!isDateOrTime(text)) throw new InvalidArgumentError('Must be an ISO 8601 date or time.');
  const hasOffset = /(Z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes('T');
  return new Date(hasOffset ? text : `${text}Z`);
}

function toWebhooks(text: string, before: WebhookSubscription[] = []): WebhookSubscription[] {
  return [...before, checked(webhook, readWebhook)(text)];
}

/** The URL may hold further equals signs. */
function readWebhook(text: string): unknown {
  const [event, ...url] = text.split('=');
  return { event, url: url.join('=') };
}

function toCourses(text: string, before: number[] = []): number[] {
  return [...before, checked(courseId, toNumber)(text)];
}
