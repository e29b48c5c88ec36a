import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type * as z from 'zod';
import { didYouMean } from '../../config/closest-match.ts';
import { type Config, loadConfig, secretsOf } from '../../config/load.ts';
import { refusePlaceholders } from '../../config/placeholders.ts';
import type { Flags } from '../../config/setting-sources.ts';
import { readSecretFile } from '../../config/setting-sources.ts';
import { settings } from '../../config/settings.ts';
import { errorText } from '../../mcp/output/error-text.ts';
import { createRedactor } from '../../mcp/output/redact.ts';
import { AcademyError } from '../../shared/errors.ts';
import { type CommandContext, UsageError } from '../command-context.ts';
import { accountLines, openSession, readAccount } from '../doctor/read-platform.ts';
import { type ClientId, clientIds } from './clients.ts';

class InputEnded extends AcademyError {}

/** Asks a person. */
type Prompter = ReturnType<typeof createPrompter>;

/** Asks on a terminal, or reads one answer from each line of a pipe. */
export function createPrompter({ stdin, stdout, signal, interrupt, isTerminal }: CommandContext) {
  let isMuted = false;
  // readline itself shows what is typed.
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!isMuted) stdout.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output, terminal: isTerminal });
  // A pipe can deliver several lines at once, before they are asked for.
  const typed = lines[Symbol.asyncIterator]();
  // In raw mode, a terminal sends Ctrl-C as a character.
  lines.on('SIGINT', () => {
    interrupt();
    lines.close();
  });
  signal.addEventListener('abort', () => lines.close(), { once: true });

  return {
    /** Resolves to the line that is typed, trimmed. A hidden answer is not shown. */
    ask: async (question: string, { hidden = false } = {}): Promise<string> => {
      lines.setPrompt(question);
      if (isTerminal) lines.prompt();
      else stdout.write(question);
      isMuted = hidden;
      const { done, value } = await typed.next();
      isMuted = false;
      if (hidden || !isTerminal) stdout.write('\n');
      if (!done) return value.trim();
      throw new InputEnded('invalid_settings', 'the input ended before every question was answered', {
        hint: 'Answer on a terminal, or give the answers as flags and add --yes.',
      });
    },
    /** Prints a line that is not a question. */
    say: (line: string) => void stdout.write(`${line}\n`),
    close: () => lines.close(),
  };
}

/** Asks until an answer can be read. */
async function askUntil<Answer>(
  prompter: Prompter,
  question: string,
  read: (answer: string) => { answer: Answer } | { problem: string },
): Promise<Answer> {
  for (;;) {
    const result = read(await prompter.ask(question));
    if ('answer' in result) return result.answer;
    prompter.say(result.problem);
  }
}

export interface Questions {
  readonly context: CommandContext;
  readonly flags: Flags;
  /** Undefined with --yes: then a missing answer is an error. */
  readonly prompter: Prompter | undefined;
  readonly keyFile: string | undefined;
  readonly keyFromStdin: boolean;
}

function missing(what: string): UsageError {
  return new UsageError(`${what}, and --yes asks no question`, 'academy-mcp init');
}

export async function askClient(prompter: Prompter | undefined): Promise<ClientId> {
  if (prompter === undefined) throw new UsageError('the client is missing: add --client', 'academy-mcp init');
  const all = clientIds.join(', ');
  return await askUntil(prompter, `Client (${all}): `, (answer) => {
    const known = clientIds.find((id) => id === answer.toLowerCase());
    const problem = `The client must be one of ${all}${didYouMean(answer, clientIds)}`;
    return known === undefined ? { problem } : { answer: known };
  });
}

async function askAddress({ flags, context, prompter }: Questions, last: string | undefined): Promise<string> {
  const given = flags.baseUrl ?? (context.environment.ACADEMY_BASE_URL || undefined);
  if (given !== undefined) return given;
  if (prompter === undefined) throw missing('the address is missing: add --base-url');
  const offer = last === undefined ? ', such as https://academy.example.com' : ` [${last}]`;
  return (await prompter.ask(`Address of the academy${offer}: `)) || last || '';
}

type Key = Pick<CheckedAcademy, 'key' | 'file'>;

async function askKey({ context, prompter, keyFile, keyFromStdin }: Questions): Promise<Key> {
  const { ACADEMY_API_KEY: fromVariable, ACADEMY_API_KEY_FILE: fromFile } = context.environment;
  const file = keyFile ?? (fromFile || undefined);
  if (keyFromStdin) {
    let key = '';
    for await (const chunk of context.stdin) key += chunk;
    return { key: key.trim(), file: undefined };
  }
  if (file !== undefined) {
    return { key: readSecretFile(file, keyFile ? '--key-file' : 'ACADEMY_API_KEY_FILE').trim(), file: resolve(file) };
  }
  if (fromVariable) return { key: fromVariable.trim(), file: undefined };
  if (prompter === undefined)
    throw missing('the key is missing: set ACADEMY_API_KEY, or add --key-file or --key-stdin');
  return { key: await prompter.ask('API key (it is not shown while you type): ', { hidden: true }), file: undefined };
}

/** An academy that answered with this address and key. */
export interface CheckedAcademy {
  readonly baseUrl: URL;
  readonly key: string;
  /** The file that the key is in already. */
  readonly file: string | undefined;
}

/** Reads the account as doctor does, and prints what it is. */
async function checkAccount(config: Config, context: CommandContext): Promise<void> {
  const session = openSession(config, context);
  try {
    const lines = createRedactor(secretsOf(config))(accountLines(await readAccount(session)));
    context.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    await session.api.close();
  }
}

/** Asks for the address and the key until the academy answers. Throws if nothing can be asked again. */
export async function askAcademy(questions: Questions): Promise<CheckedAcademy> {
  const { context, flags, prompter, keyFile, keyFromStdin } = questions;
  const { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: ownKey, ACADEMY_API_KEY_FILE: file, LOG_LEVEL } = context.environment;
  const isTyped = !(flags.baseUrl || url) || !(ownKey || file || keyFile || keyFromStdin);
  let last: string | undefined;
  for (;;) {
    try {
      last = await askAddress(questions, last);
      const key = await askKey(questions);
      const config = loadConfig({ ...flags, baseUrl: last }, { LOG_LEVEL, ACADEMY_API_KEY: key.key });
      refusePlaceholders(config);
      await checkAccount(config, context);
      return { ...key, baseUrl: config.baseUrl };
    } catch (error) {
      const isExpected = error instanceof AcademyError && error.code !== 'cancelled' && !context.signal.aborted;
      if (!isExpected || error instanceof InputEnded || !isTyped || prompter === undefined) throw error;
      prompter.say(`NO  ${errorText(error).replaceAll('\n', '\n    ')}\nTry again, or press Ctrl-C to stop.`);
    }
  }
}

function readBy<Schema extends z.ZodType>(schema: Schema, what: string) {
  return (text: string) => {
    const { data, error } = schema.safeParse(text);
    return error === undefined ? { answer: data } : { problem: `${what} ${error.issues[0]?.message}` };
  };
}

/** Asks for the time zone. The default is that of this computer. */
export async function askTimeZone({ flags, prompter }: Questions): Promise<string> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  if (flags.timezone !== undefined || prompter === undefined) return flags.timezone ?? timeZone;
  const read = readBy(settings.timezone.schema, 'The time zone');
  return await askUntil(prompter, `Time zone of "today" and "last week" [${timeZone}]: `, (text) =>
    read(text || timeZone),
  );
}

/** Asks whether to begin read-only, which is the default. */
export async function askReadOnly({ flags, prompter }: Questions): Promise<boolean> {
  if (flags.readOnly !== undefined || prompter === undefined) return flags.readOnly === 'true';
  const question = 'Begin in read-only mode, in which the assistant can change nothing? [Y/n]: ';
  return await askUntil(prompter, question, (text) => {
    if (/^(y(es)?)?$/i.test(text)) return { answer: true };
    return /^no?$/i.test(text) ? { answer: false } : { problem: 'Answer y or n.' };
  });
}
