import { Command } from 'commander';
import { tools } from '../../tools/index.ts';
import type { Api } from '../api/api.ts';
import { createApi } from '../app.ts';
import { type Config, type Flags, loadConfig, secretsOf } from '../config/load.ts';
import { getAccount } from '../contract/account.ts';
import type { ParsedAnswer } from '../contract/answer.ts';
import { filterTools } from '../mcp/filter-tools.ts';
import { errorText } from '../mcp/output/error-text.ts';
import { createRedactor } from '../mcp/output/redact.ts';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import { createLogger } from '../shared/logger.ts';
import type { CommandContext } from './context.ts';
import { addSettingFlags, readSettingFlags } from './settings-flags.ts';

type Account = ParsedAnswer<(typeof getAccount)['response']>;

/** Something that does not work was found and told. */
class DoctorFoundProblems extends Error {}

function settingLines(config: Config): string[] {
  const { baseUrl, authScheme, rateLimit, rateShare, readOnly, toolsets, confirm } = config;
  const offered = filterTools(tools, config).length;
  return [
    `  address      ${baseUrl.href}`,
    `  key          set, sent as ${authScheme === 'token' ? 'Token token=…' : 'Bearer …'}`,
    `  rate limit   ${rateLimit}, of which ${Math.round(rateShare * 100)}% is used`,
    `  tools        ${offered} of ${tools.length}${readOnly ? ', read-only' : ''}${toolsets === undefined ? '' : `, of ${toolsets.join(', ')}`}`,
    `  confirm      ${confirm}`,
  ];
}

function accountLines({ account, capabilities = {}, webhook_events: events = [] }: Account): string[] {
  const off = Object.entries(capabilities)
    .filter(([, allowed]) => allowed === false)
    .map(([name]) => name);
  return [
    `ok  The API answers: ${oneLine(account?.app_name ?? account?.subdomain ?? 'an account', 200)}, plan ${oneLine(account?.subscription_plan ?? 'not told', 60)}`,
    off.length === 0 ? 'ok  The key may do everything' : `!   Switched off for this account: ${off.join(', ')}`,
    `ok  ${events.length} webhook events`,
  ];
}

async function checkAccount(api: Api): Promise<string[]> {
  return accountLines(await api.call(getAccount, {}));
}

/** The request names no record, so what was not found is the API. */
function aboutAddress(error: AcademyError): AcademyError {
  if (error.code !== 'not_found') return error;
  const hint = 'The API is not at this address: check ACADEMY_BASE_URL.';
  return new AcademyError(error.code, error.message, { hint, cause: error });
}

/**
 * `academy-mcp doctor`: says what is set, and whether it works. Costs one request, changes nothing. `before` are the flags
 * that stood before its name; its own win.
 */
export function doctorCommand({ environment, stdout, stderr, signal }: CommandContext, before: Flags): Command {
  const command = new Command('doctor').description('check the settings against the real account (one request)');
  return addSettingFlags(command).action(async (options: Record<string, unknown>) => {
    const config = loadConfig({ ...before, ...readSettingFlags(options) }, environment);
    const redact = createRedactor(secretsOf(config));
    const write = (lines: string[]) => stdout.write(`${redact(lines).join('\n')}\n`);
    write(['ok  The settings are complete', ...settingLines(config)]);
    const api = createApi(config, createLogger(config.logLevel, secretsOf(config), stderr));
    try {
      write(await checkAccount({ call: (operation, input) => api.call(operation, input, { signal }) }));
    } catch (error) {
      if (!(error instanceof AcademyError)) throw error;
      write([`NO  ${errorText(aboutAddress(error)).replaceAll('\n', '\n    ')}`]);
      throw new DoctorFoundProblems('the account cannot be used with these settings');
    } finally {
      await api.close();
    }
  });
}
