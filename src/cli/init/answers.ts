import { resolve } from 'node:path';
import { type Config, loadConfig, secretsOf } from '../../config/load.ts';
import { refusePlaceholders } from '../../config/placeholders.ts';
import { readSecretFile } from '../../config/secret-file.ts';
import type { Environment, Flags } from '../../config/setting-sources.ts';
import { settings } from '../../config/settings.ts';
import { errorText } from '../../mcp/output/error-text.ts';
import { createRedactor } from '../../mcp/output/redact.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { CommandContext } from '../command-context.ts';
import { accountLines } from '../doctor/account-lines.ts';
import { openSession, readAccount } from '../doctor/session.ts';
import { UsageError } from '../usage-error.ts';
import type { Prompter } from './prompter.ts';

/** The key, and the file that it is in already. */
interface Key {
  readonly key: string;
  readonly file: string | undefined;
}

/** An academy that answered with this address and key. */
export interface CheckedAcademy extends Key {
  readonly baseUrl: URL;
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

/** People leave out the scheme, as browsers show it. */
function withScheme(address: string): string {
  return address.includes('://') ? address : `https://${address}`;
}

async function askAddress({ flags, context, prompter }: Questions): Promise<string> {
  const given = flags.baseUrl ?? (context.environment.ACADEMY_BASE_URL || undefined);
  if (given !== undefined) return given;
  if (prompter === undefined) throw missing('the address is missing: add --base-url');
  return withScheme(await prompter.ask('Address of the academy, such as https://academy.example.com: '));
}

/** Text of standard input without the line break at its end. */
async function readAll(stdin: CommandContext['stdin']): Promise<string> {
  let text = '';
  for await (const chunk of stdin) text += chunk;
  return text.replace(/\r?\n$/, '');
}

async function askKey({ context, prompter, keyFile, keyFromStdin }: Questions): Promise<Key> {
  const { ACADEMY_API_KEY: fromVariable, ACADEMY_API_KEY_FILE: fromFile } = context.environment;
  const file = keyFile ?? (fromFile || undefined);
  if (keyFromStdin) return { key: await readAll(context.stdin), file: undefined };
  if (file !== undefined) {
    return { key: readSecretFile(file, keyFile ? '--key-file' : 'ACADEMY_API_KEY_FILE'), file: resolve(file) };
  }
  if (fromVariable) return { key: fromVariable, file: undefined };
  if (prompter === undefined)
    throw missing('the key is missing: set ACADEMY_API_KEY, or add --key-file or --key-stdin');
  return { key: await prompter.ask('API key (it is not shown while you type): ', { hidden: true }), file: undefined };
}

function environmentOf({ environment }: CommandContext, key: string): Environment {
  return { LOG_LEVEL: environment.LOG_LEVEL, ACADEMY_API_KEY: key };
}

/** Reads the account as doctor does, and returns the lines to show. */
async function checkAccount(config: Config, context: CommandContext): Promise<string[]> {
  const session = openSession(config, context);
  try {
    return createRedactor(secretsOf(config))(accountLines(await readAccount(session)));
  } finally {
    await session.api.close();
  }
}

async function tryAcademy(questions: Questions): Promise<CheckedAcademy> {
  const { context, flags } = questions;
  const address = await askAddress(questions);
  const key = await askKey(questions);
  const config = loadConfig({ ...flags, baseUrl: address }, environmentOf(context, key.key));
  refusePlaceholders(config);
  for (const line of await checkAccount(config, context)) context.stdout.write(`${line}\n`);
  return { ...key, baseUrl: config.baseUrl };
}

/** Whether another try can give another result: something was typed, and the person is still there. */
function canAskAgain({ context, flags, prompter, keyFile, keyFromStdin }: Questions, error: unknown): boolean {
  const { ACADEMY_BASE_URL: address, ACADEMY_API_KEY: key, ACADEMY_API_KEY_FILE: file } = context.environment;
  const isTyped = !(flags.baseUrl || address) || !(key || file || keyFile || keyFromStdin);
  const isExpected = error instanceof AcademyError && error.code !== 'cancelled';
  return isExpected && isTyped && prompter?.isOpen() === true && !context.signal.aborted;
}

/** Asks for the address and the key until the academy answers. Throws if nothing can be asked. */
export async function askAcademy(questions: Questions): Promise<CheckedAcademy> {
  for (;;) {
    try {
      return await tryAcademy(questions);
    } catch (error) {
      if (!(error instanceof AcademyError) || !canAskAgain(questions, error)) throw error;
      questions.prompter?.say(
        `NO  ${errorText(error).replaceAll('\n', '\n    ')}\nTry again, or press Ctrl-C to stop.`,
      );
    }
  }
}

/** Asks for the time zone. The default is that of this computer. */
export async function askTimeZone({ flags, prompter }: Questions): Promise<string> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  if (flags.timezone !== undefined || prompter === undefined) return flags.timezone ?? timeZone;
  for (;;) {
    const answer = (await prompter.ask(`Time zone of "today" and "last week" [${timeZone}]: `)) || timeZone;
    const parsed = settings.timezone.schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    prompter.say(`The time zone ${parsed.error.issues[0]?.message}`);
  }
}

/** Asks whether to begin read-only, which is the default. */
export async function askReadOnly({ flags, prompter }: Questions): Promise<boolean> {
  if (flags.readOnly !== undefined || prompter === undefined) return flags.readOnly === 'true';
  for (;;) {
    const answer =
      (await prompter.ask('Begin in read-only mode, in which the assistant can change nothing? [Y/n]: ')) || 'y';
    if (/^y(es)?$/i.test(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
    prompter.say('Answer y or n.');
  }
}
