import { Command } from 'commander';
import { tools } from '../../tools/index.ts';
import type { ApiClient, CallOptions } from '../api/api.ts';
import { type AttemptResult, jsonOf } from '../api/http/attempt-result.ts';
import { createApi } from '../app.ts';
import { type Config, loadConfig, secretsOf } from '../config/load.ts';
import type { Flags } from '../config/setting-sources.ts';
import { getAccount } from '../contract/account.ts';
import { filterTools } from '../mcp/filter-tools.ts';
import { errorText } from '../mcp/output/error-text.ts';
import { createRedactor } from '../mcp/output/redact.ts';
import { AcademyError } from '../shared/errors.ts';
import { createLogger } from '../shared/logger.ts';
import type { CommandContext } from './command-context.ts';
import { accountLines } from './doctor/account-lines.ts';
import type { JsonRecord } from './doctor/assumption.ts';
import { findAccount } from './doctor/find-account.ts';
import { auditLine, auditProblem, platformLines, zoneLine } from './doctor/local-checks.ts';
import { readPlatform } from './doctor/read-platform.ts';
import { reportAssumptions, resultLines, summaryLines } from './doctor/report.ts';
import { addSettingFlags, readSettingFlags } from './settings-flags.ts';

/** Doctor has found and reported a problem. */
class DoctorFoundProblems extends Error {}

const help = `
Reads the account, one page of orders, one course with its structure and one student, and compares them with
the API document. For each assumption of the program it says whether it holds here and, if not, the impact.
Sends at most 7 requests (plus retries), changes nothing, and prints no student data.

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

/** The request names no record, so a 404 means that the API itself was not found. */
function withAddressHint(error: AcademyError): AcademyError {
  if (error.code !== 'not_found') return error;
  const hint = 'The API is not at this address: check ACADEMY_BASE_URL.';
  return new AcademyError(error.code, error.message, { hint, cause: error });
}

function notTheAccount(): AcademyError {
  return new AcademyError('unexpected_response', 'the API answered 200, but not with the documented account', {
    hint: 'Check that ACADEMY_BASE_URL is the address of the account.',
  });
}

interface Session {
  readonly api: ApiClient;
  readonly lastBody: () => unknown;
  readonly call: CallOptions;
  readonly requests: () => number;
}

function openSession(config: Config, { stderr, signal }: CommandContext): Session {
  let last: AttemptResult | undefined;
  let requests = 0;
  // The report covers the warnings that the log writes by default.
  const level = config.logLevel === 'warn' ? 'error' : config.logLevel;
  const log = createLogger(level, secretsOf(config), stderr);
  const onOutcome = (outcome: AttemptResult) => {
    last = outcome;
  };
  const onRequest = () => {
    requests += 1;
  };
  return {
    api: createApi(config, log, { onOutcome }),
    lastBody: () => last && jsonOf(last),
    call: { signal, onRequest },
    requests: () => requests,
  };
}

type Write = (lines: readonly string[]) => void;

/** Throws if there is no account: the other requests would be pointless. */
async function readAccount({ api, call, lastBody }: Session, write: Write): Promise<JsonRecord> {
  try {
    await api.call(getAccount, {}, call);
    const account = findAccount(lastBody());
    if (account === undefined) throw notTheAccount();
    return account;
  } catch (error) {
    if (!(error instanceof AcademyError) || error.code === 'cancelled') throw error;
    write([`NO  ${errorText(withAddressHint(error)).replaceAll('\n', '\n    ')}`]);
    throw new DoctorFoundProblems('the account cannot be used with these settings');
  }
}

/** Returns the problems found, each in a few words. */
async function examine(session: Session, write: Write): Promise<string[]> {
  const account = await readAccount(session, write);
  write(accountLines(account));
  const { results, data } = await readPlatform({ ...session, account });
  write([...platformLines(data.platform), ...resultLines(results)]);
  const report = reportAssumptions(data);
  write([...report.lines, ...summaryLines(report, session.requests())]);
  const failed = results.filter(({ state }) => state === 'failed').map(({ name }) => name.toLowerCase());
  return failed.length === 0 ? [] : [`could not be read: ${failed.join(', ')}`];
}

async function doctor(config: Config, context: CommandContext): Promise<void> {
  const redact = createRedactor(secretsOf(config));
  const write: Write = (lines) => context.stdout.write(`${redact(lines).join('\n')}\n`);
  const { auditLog } = config;
  const audit = auditProblem(auditLog);
  write(['ok  The settings are complete', ...settingLines(config), auditLine(auditLog, audit)]);
  const session = openSession(config, context);
  try {
    const problems = [...(audit === undefined ? [] : [audit]), ...(await examine(session, write))];
    if (problems.length > 0) throw new DoctorFoundProblems(redact(problems.join('; ')));
  } finally {
    await session.api.close();
  }
}

/**
 * `academy-mcp doctor`: checks that the address serves this API and which assumptions hold on this platform. Changes
 * nothing. `before` are the flags before the command's name; flags after it win.
 */
export function doctorCommand(context: CommandContext, before: Flags): Command {
  const command = new Command('doctor')
    .description('check the settings and the real academy against the API document (at most 7 requests)')
    .addHelpText('after', help);
  return addSettingFlags(command).action((options: Record<string, unknown>) =>
    doctor(loadConfig({ ...before, ...readSettingFlags(options) }, context.environment), context),
  );
}
