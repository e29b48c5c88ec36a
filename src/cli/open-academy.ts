import type { Accounts } from '../accounts/load-accounts.ts';
import { type Config, findText, loadConfig, refuseExampleAddress, type SettingSources } from '../config/load.ts';
import { settings } from '../config/settings.ts';
import { SettingsError } from '../shared/errors.ts';

/** The settings, the accounts of an accounts file, and a function that closes the embedded academy, if any. */
export interface OpenAcademy {
  config: Config;
  accounts?: Accounts | undefined;
  close(): Promise<void>;
}

export async function openAcademy(sources: SettingSources, withSandbox: boolean): Promise<OpenAcademy> {
  const { flags, environment, command } = sources;
  const file = findText('accountsFile', settings.accountsFile, sources);
  if (file.text !== undefined && withSandbox) {
    const hint =
      'For several embedded academies, start academy-mcp sandbox --accounts and name their addresses in the file.';
    throw new SettingsError(`--sandbox cannot be used together with ${file.source}`, hint);
  }
  if (file.text !== undefined) {
    const { loadAccounts } = await import('../accounts/load-accounts.ts');
    return { ...loadAccounts(file.text, sources), close: async () => {} };
  }
  if (!withSandbox) {
    const config = loadConfig(flags, environment, command);
    refuseExampleAddress(config);
    return { config, close: async () => {} };
  }
  const { startSandbox } = await import('../sandbox/index.ts');
  const sandbox = await startSandbox();
  // --sandbox overrides the address and key of a real academy, so that real data stays untouched.
  const key = { ACADEMY_API_KEY: sandbox.apiKey, ACADEMY_API_KEY_FILE: undefined };
  const journal = { ACADEMY_JOURNAL: environment.ACADEMY_JOURNAL ?? 'memory' };
  try {
    const config = loadConfig({ ...flags, baseUrl: sandbox.url }, { ...environment, ...key, ...journal }, command);
    return { config, close: () => sandbox.close() };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}
