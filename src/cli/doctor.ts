import { Command } from 'commander';
import { tools } from '../../tools/index.ts';
import { type Account, openAccounts } from '../accounts/accounts.ts';
import { didYouMean } from '../config/closest-match.ts';
import { accountsFileFields, withFieldNames } from '../config/field-names.ts';
import { type Config, secretsOf } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import { eventsFileSetting } from '../events/event-feed.ts';
import { filterTools } from '../mcp/filter-tools.ts';
import { errorText } from '../mcp/output/error-text.ts';
import { createRedactor } from '../mcp/output/redact.ts';
import { AcademyError } from '../shared/errors.ts';
import type { CommandContext } from './command-context.ts';
import { accountLines } from './doctor/account-lines.ts';
import type { JsonRecord } from './doctor/assumption.ts';
import { auditLine, auditProblem, platformLines, zoneLine } from './doctor/local-checks.ts';
import { readPlatform } from './doctor/read-platform.ts';
import { reportAssumptions, resultLines, summaryLines } from './doctor/report.ts';
import { openSession, readAccount, type Session } from './doctor/session.ts';
import { eventsFileProblem, secretWebhookLines, webhookLines } from './doctor/webhook-lines.ts';
import { type OpenAcademy, openAcademy } from './open-academy.ts';
import { eventsFileSettingOf } from './open-events.ts';
import { addSettingFlags, readSettingFlags } from './settings-flags.ts';
import { UsageError } from './usage-error.ts';

/** Doctor has found and reported a problem. */
class DoctorFoundProblems extends Error {}

const help = `
Reads the account, one page of orders, one course with its structure and one student, and compares them with
the API document. For each assumption of the program it says whether it holds here and, if not, the impact.
Sends at most 7 requests (plus retries), changes nothing, and prints no student data. With an accounts file it checks
one account after the other, or the one of --account.

Exit code: 0 the academy can be used, 1 a problem with a setting, the audit log or the academy, 2 wrong usage.`;

function settingLines(config: Config): string[] {
  const { baseUrl, authScheme, rateLimit, rateShare, readOnly, toolsets, confirm, timezone } = config;
  const enabled = filterTools(tools, config).length;
  return [
    `  address      ${baseUrl.href}`,
    `  key          set, sent as ${authScheme === 'token' ? 'Token token=…' : 'Bearer …'}`,
    `  rate limit   ${rateLimit}, ${Math.round(rateShare * 100)}% of it used`,
    `  tools        ${enabled} of ${tools.length}${readOnly ? ', read-only' : ''}${toolsets === undefined ? '' : `, of ${toolsets.join(', ')}`}`,
    `  confirm      ${confirm}`,
    zoneLine(timezone, new Date()),
  ];
}

type Write = (lines: readonly string[]) => void;

/** Throws if there is no account: the other requests would be pointless. */
async function examineAccount(session: Session, write: Write): Promise<JsonRecord> {
  try {
    return await readAccount(session);
  } catch (error) {
    if (!(error instanceof AcademyError) || error.code === 'cancelled') throw error;
    write([`NO  ${errorText(error).replaceAll('\n', '\n    ')}`]);
    throw new DoctorFoundProblems('the account cannot be used with these settings');
  }
}

/** Returns the problems found, each in a few words. */
async function examine(session: Session, write: Write): Promise<string[]> {
  const account = await examineAccount(session, write);
  write(accountLines(account));
  const { results, data } = await readPlatform({ ...session, account });
  write([...platformLines(data.platform), ...resultLines(results)]);
  const report = reportAssumptions(data);
  write([...report.lines, ...summaryLines(report, session.requests())]);
  const failed = results.filter(({ state }) => state === 'failed').map(({ name }) => name.toLowerCase());
  return failed.length === 0 ? [] : [`could not be read: ${failed.join(', ')}`];
}

/** Checks an account, by its name in the accounts file, or the only one. Throws `DoctorFoundProblems`. */
async function checkAccount(config: Config, context: CommandContext, name?: string): Promise<void> {
  const redact = createRedactor(secretsOf(config));
  const write: Write = (lines) => {
    const text = redact(lines).join('\n');
    context.stdout.write(`${name === undefined ? text : withFieldNames(text, accountsFileFields)}\n`);
  };
  const { auditLog } = config;
  const audit = auditProblem(auditLog);
  const setting = name === undefined ? eventsFileSetting : eventsFileSettingOf(name);
  const events = await eventsFileProblem(config.eventsFile, setting);
  const localLines = [auditLine(auditLog, audit), ...webhookLines(config, name, events)];
  write(['ok  The settings are complete', ...settingLines(config), ...localLines]);
  const session = openSession(config, context);
  try {
    const local = [audit, events].filter((problem) => problem !== undefined);
    const problems = [...local, ...(await examine(session, write))];
    if (problems.length > 0) throw new DoctorFoundProblems(redact(problems.join('; ')));
  } finally {
    await session.api.close();
  }
}

/** The accounts to check, by their names in the accounts file. Throws `UsageError` for an unknown name. */
function accountsToCheck({ accounts }: OpenAcademy, name: string | undefined, command: string): Account[] {
  if (accounts === undefined) throw new UsageError('--account needs ACADEMY_ACCOUNTS_FILE', command);
  const chosen = openAccounts(accounts, name === undefined ? undefined : [name]);
  if (chosen.length > 0) return chosen;
  const names = accounts.list.map((account) => account.name);
  const suggestion = didYouMean(name ?? '', names) || '.';
  throw new UsageError(
    `the accounts file has no account ${name}${suggestion} The accounts are ${names.join(', ')}`,
    command,
  );
}

/** Checks one account after the other: the problems of one do not keep the others from being checked. */
async function checkAccounts(accounts: readonly Account[], context: CommandContext): Promise<void> {
  const problems: string[] = [];
  for (const { name, config } of accounts) {
    context.stdout.write(`${problems.length === 0 && name === accounts[0]?.name ? '' : '\n'}Account ${name}\n`);
    await checkAccount(config, context, name).catch((error: unknown) => {
      if (!(error instanceof DoctorFoundProblems)) throw error;
      problems.push(`${name}: ${error.message}`);
    });
  }
  if (problems.length > 0) throw new DoctorFoundProblems(problems.join('; '));
}

async function doctor(academy: OpenAcademy, name: string | undefined, context: CommandContext): Promise<void> {
  if (academy.accounts === undefined && name === undefined) return await checkAccount(academy.config, context);
  await checkAccounts(accountsToCheck(academy, name, 'academy-mcp doctor'), context);
}

/**
 * `academy-mcp doctor`: checks that the address serves this API and which assumptions hold on this platform. Changes
 * nothing. `before` are the flags before the command's name; flags after it win.
 */
export function doctorCommand(context: CommandContext, before: Flags): Command {
  const command = new Command('doctor')
    .description('check the settings and the real academy against the API document (at most 7 requests)')
    .option('--sandbox', 'check an embedded academy with made-up data instead of a real one')
    .option('--account <name>', 'check one account of the accounts file instead of all')
    .option('--webhook-urls', 'only print the webhook addresses with their secret, and send no request')
    .addHelpText('after', help);
  return addSettingFlags(command).action(async (options: Record<string, unknown>) => {
    const flags = { ...before, ...readSettingFlags(options) };
    const { environment } = context;
    const academy = await openAcademy({ flags, environment }, options.sandbox === true);
    const name = typeof options.account === 'string' ? options.account : undefined;
    if (options.webhookUrls === true) {
      await academy.close();
      const isOne = academy.accounts === undefined && name === undefined;
      const accounts = isOne ? undefined : accountsToCheck(academy, name, 'academy-mcp doctor');
      return void context.stdout.write(`${secretWebhookLines(academy.config, accounts).join('\n')}\n`);
    }
    await doctor(academy, name, context).finally(academy.close);
  });
}
