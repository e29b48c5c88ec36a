import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { loadConfig, secretsOf } from '../../config/load.ts';
import { refuseExampleAddress } from '../../config/placeholders.ts';
import { type Flags, readSecretFile } from '../../config/setting-sources.ts';
import { createRedactor } from '../../mcp/output/redact.ts';
import { SettingsError } from '../../shared/errors.ts';
import { type CommandContext, UsageError } from '../command-context.ts';
import { accountLines, openSession, readAccount } from '../read-platform.ts';

/** Asks a person on a terminal, or reads one answer from each line of a pipe. */
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
      throw new SettingsError(
        'the input ended before every question was answered',
        'Answer on a terminal, or give the answers as flags and add --yes.',
      );
    },
    close: () => lines.close(),
  };
}

export interface Questions {
  readonly context: CommandContext;
  readonly flags: Flags;
  /** Undefined with --yes: then a missing answer is an error. */
  readonly prompter: ReturnType<typeof createPrompter> | undefined;
  readonly keyFile: string | undefined;
}

/** Asks for what is missing. With --yes, throws `UsageError` with that problem. */
function askFor({ prompter }: Questions, problem: string, question: string, options?: { hidden: true }) {
  if (prompter === undefined) throw new UsageError(problem, 'academy-mcp init');
  return prompter.ask(question, options);
}

async function findKey(questions: Questions): Promise<{ key: string; file: string | undefined }> {
  const { context, keyFile } = questions;
  const { ACADEMY_API_KEY: fromVariable, ACADEMY_API_KEY_FILE: fromFile } = context.environment;
  const file = keyFile || fromFile;
  if (file)
    return { key: readSecretFile(file, keyFile ? '--key-file' : 'ACADEMY_API_KEY_FILE').trim(), file: resolve(file) };
  if (fromVariable) return { key: fromVariable.trim(), file: undefined };
  const problem = 'the key is missing: set ACADEMY_API_KEY, or add --key-file';
  const question = 'API key (it is not shown while you type): ';
  return { key: await askFor(questions, problem, question, { hidden: true }), file: undefined };
}

/** An academy that answered with this address and key. */
export type CheckedAcademy = Awaited<ReturnType<typeof askAcademy>>;

/** Finds or asks for the address and the key, and reads the account with them. Prints what it is. */
export async function askAcademy(questions: Questions) {
  const { context, flags } = questions;
  const { LOG_LEVEL, ACADEMY_BASE_URL } = context.environment;
  const question = 'Address of the academy, such as https://academy.example.com: ';
  const given = flags.baseUrl ?? (ACADEMY_BASE_URL || undefined);
  const baseUrl = given ?? (await askFor(questions, 'the address is missing: add --base-url', question));
  const found = await findKey(questions);
  const config = loadConfig({ ...flags, baseUrl }, { LOG_LEVEL, ACADEMY_API_KEY: found.key });
  refuseExampleAddress(config);
  const session = openSession(config, context);
  try {
    const lines = createRedactor(secretsOf(config))(accountLines(await readAccount(session)));
    context.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    await session.api.close();
  }
  return { ...found, baseUrl: config.baseUrl };
}

export async function askReadOnly({ flags, prompter }: Questions): Promise<boolean> {
  if (flags.readOnly !== undefined || prompter === undefined) return flags.readOnly === 'true';
  const answer = await prompter.ask('Begin in read-only mode, in which the assistant can change nothing? [Y/n]: ');
  return !/^no?$/i.test(answer);
}
