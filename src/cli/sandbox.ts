import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { FlagError } from '../config/load.ts';
import { parseAccountsFile } from '../sandbox/accounts/accounts-file.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import type { SandboxOptions } from '../sandbox/options.ts';
import { untilAborted } from './command-context.ts';
import { addSandboxFlags, type SandboxFlags } from './sandbox-flags.ts';

/** What the command uses of its process. */
interface SandboxCommandContext {
  /** Prints one line. */
  write(line: string): void;
  /** Aborts when the command must end. */
  signal: AbortSignal;
}

/** `academy-mcp sandbox`: runs only the embedded academy until the signal aborts. */
export function sandboxCommand(context: SandboxCommandContext): Command {
  const command = new Command('sandbox').description('run only the embedded academy, as an HTTP API');
  return addSandboxFlags(command).action(async (flags: SandboxFlags) => {
    const sandbox = await startSandbox({ ...(await optionsOf(flags)), log: context.write });
    for (const line of introduction(sandbox)) context.write(line);
    await untilAborted(context.signal);
    await sandbox.close();
  });
}

async function optionsOf({
  accounts: file,
  latency,
  fail,
  webhook,
  protectCourse,
  ...same
}: SandboxFlags): Promise<SandboxOptions> {
  const options = { ...same, latencyMs: latency, failRate: fail, webhooks: webhook, protectedCourses: protectCourse };
  if (file === undefined) return options;
  if (same.apiKey !== undefined || same.studentKey !== undefined) {
    throw new FlagError('--accounts: the file contains the keys; leave out --api-key and --student-key');
  }
  return { ...options, accounts: parseAccountsFile(await readAccounts(file), file) };
}

async function readAccounts(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new FlagError(`--accounts: cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
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
