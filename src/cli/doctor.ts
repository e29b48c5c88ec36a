import { Command } from 'commander';
import { type Account, openAccounts } from '../accounts/accounts.ts';
import { didYouMean } from '../config/closest-match.ts';
import { accountsFileFields, withFieldNames } from '../config/field-names.ts';
import { type Config, secretsOf } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import { errorText } from '../mcp/output/error-text.ts';
import { createRedactor } from '../mcp/output/redact.ts';
import { AcademyError } from '../shared/errors.ts';
import { addSettingFlags, type CommandContext, readSettingFlags, UsageError } from './command-context.ts';
import { assumptions } from './doctor/assumptions.ts';
import { accountLines, openSession, type PlatformData, readAccount, readPlatform } from './doctor/read-platform.ts';
import { platformLines, secretWebhookLines, settingsLines } from './doctor/settings-lines.ts';
import { type OpenAcademy, openAcademy } from './open-academy.ts';

/** Doctor has found and reported a problem. */
class DoctorFoundProblems extends Error {}

const help = `
Prints what is wrong or differs; --verbose prints every check. Reads the account, one page of orders, one course with
its structure and one student, and compares them with the API document. For each assumption of the program it says
whether it holds here and, if not, the impact. Checks the files, Redis and the OAuth issuer of the settings, too.
Sends at most 7 requests (plus retries), changes nothing, and prints no student data. With an accounts file it checks
one account after the other, or the one of --account.

Exit code: 0 the academy can be used, 1 a problem with a setting, a file, Redis, the issuer or the academy, 2 wrong usage.`;

/** Removes Markdown, which only the document needs. */
const plain = (text: string) => text.replaceAll('`', '');

/** Checks every assumption: which hold, which do not with their impact, and which could not be checked. */
function checkAssumptions(data: PlatformData): { lines: string[]; summary: string } {
  const lines: string[] = [];
  const unchecked: string[] = [];
  let differing = 0;
  for (const [id, [statement, impact, check]] of Object.entries(assumptions)) {
    const found = check(data);
    const title = `${id}: ${plain(statement)}`;
    if (found === undefined) unchecked.push(id);
    else if (found.length === 0) lines.push(`ok  ${title}`);
    else {
      differing += 1;
      const details = found.map((one) => `      found: ${one}. Impact: ${plain(impact)}.`);
      lines.push([`!   ${title}`, ...details].join('\n'));
    }
  }
  if (unchecked.length > 0) lines.push(`-   Nothing to check for: ${unchecked.join(', ')}`);
  const holding = Object.keys(assumptions).length - differing - unchecked.length;
  const summary = `${differing === 0 ? 'ok  ' : '!   '}${holding} assumptions hold, ${differing} do not, ${unchecked.length} have nothing to check (docs/internals/api-assumptions.md)`;
  return { lines, summary };
}

/** Lines of the report. The first characters of a line say what it is: ok, ! for a difference, NO for a problem, - for nothing. */
type Write = (lines: readonly string[], isShown?: (line: string) => boolean) => void;

const isProblem = (line: string) => line.startsWith('NO');

/** Returns the problems found, each in a few words. */
async function examine(config: Config, context: CommandContext, write: Write): Promise<string[]> {
  const session = openSession(config, context);
  try {
    const account = await readAccount(session);
    const [name = '', ...rights] = accountLines(account);
    write([name], () => true);
    write(rights);
    const { lines, failed, data } = await readPlatform(session, account);
    const report = checkAssumptions(data);
    write([...platformLines(data.platform), ...lines, ...report.lines]);
    write([report.summary, `ok  ${session.requests()} requests sent, nothing changed`], () => true);
    return failed.length === 0 ? [] : [`could not be read: ${failed.join(', ')}`];
  } catch (error) {
    if (!(error instanceof AcademyError) || error.code === 'cancelled') throw error;
    // Without an account, the other requests would be pointless.
    write([`NO  ${errorText(error).replaceAll('\n', '\n    ')}`]);
    return ['the account cannot be used with these settings'];
  } finally {
    await session.api.close();
  }
}

interface Check {
  readonly context: CommandContext;
  readonly isVerbose: boolean;
}

/** Checks an account, by its name in the accounts file, or the only one. Throws `DoctorFoundProblems`. */
async function checkAccount(config: Config, { context, isVerbose }: Check, name?: string): Promise<void> {
  const redact = createRedactor(secretsOf(config));
  const write: Write = (lines, isShown = (line) => isVerbose || /^(!|NO)/.test(line)) => {
    const shown = redact(lines.filter(isShown)).map((line) => `${line}\n`);
    const text = shown.join('');
    context.stdout.write(name === undefined ? text : withFieldNames(text, accountsFileFields));
  };
  const settings = await settingsLines(config, name);
  write(settings);
  const local = settings.filter(isProblem).map((line) => line.replace(/^NO +/, ''));
  const problems = [...local, ...(await examine(config, context, write))];
  if (problems.length > 0) throw new DoctorFoundProblems(redact(problems.join('; ')));
}

/** The accounts to check, by their names in the accounts file. Throws `UsageError` for an unknown name. */
function accountsToCheck({ accounts }: OpenAcademy, name: string | undefined): Account[] {
  const command = 'academy-mcp doctor';
  if (accounts === undefined) throw new UsageError('--account needs ACADEMY_ACCOUNTS_FILE', command);
  const chosen = openAccounts(accounts, name === undefined ? undefined : [name]);
  if (chosen.length > 0) return chosen;
  const names = accounts.list.map((account) => account.name);
  const known = `${didYouMean(name ?? '', names) || '.'} The accounts are ${names.join(', ')}`;
  throw new UsageError(`the accounts file has no account ${name}${known}`, command);
}

/** Checks one account after the other: the problems of one do not keep the others from being checked. */
async function checkAccounts(accounts: readonly Account[], check: Check): Promise<void> {
  const problems: string[] = [];
  for (const [index, { name, config }] of accounts.entries()) {
    check.context.stdout.write(`${index === 0 ? '' : '\n'}Account ${name}\n`);
    await checkAccount(config, check, name).catch((error: unknown) => {
      if (!(error instanceof DoctorFoundProblems)) throw error;
      problems.push(`${name}: ${error.message}`);
    });
  }
  if (problems.length > 0) throw new DoctorFoundProblems(problems.join('; '));
}

/**
 * `academy-mcp doctor`: checks that the address serves this API and which assumptions hold on this platform. Changes
 * nothing. `before` are the flags before the command's name; flags after it win.
 */
export function doctorCommand(context: CommandContext, before: Flags): Command {
  const command = new Command('doctor')
    .option('--sandbox', 'check an embedded academy with made-up data instead of a real one')
    .option('--account <name>', 'check one account of the accounts file instead of all')
    .option('--verbose', 'print every check, and not only what is wrong or differs')
    .option('--webhook-urls', 'only print the webhook addresses with their secret, and send no request')
    .addHelpText('after', help);
  return addSettingFlags(command).action(async (options: Record<string, unknown>) => {
    const flags = { ...before, ...readSettingFlags(options) };
    const academy = await openAcademy({ flags, environment: context.environment }, options.sandbox === true);
    const name = typeof options.account === 'string' ? options.account : undefined;
    const check = { context, isVerbose: options.verbose === true };
    try {
      const isOne = academy.accounts === undefined && name === undefined;
      const accounts = isOne ? undefined : accountsToCheck(academy, name);
      if (options.webhookUrls === true) {
        context.stdout.write(`${secretWebhookLines(academy.config, accounts).join('\n')}\n`);
      } else if (accounts === undefined) await checkAccount(academy.config, check);
      else await checkAccounts(accounts, check);
    } finally {
      await academy.close();
    }
  });
}
