import { type Config, loadConfig } from '../config/load.ts';
import { refusePlaceholders } from '../config/placeholders.ts';
import type { SettingSources } from '../config/setting-sources.ts';

/** The settings, and a function that closes the embedded academy, if any. */
interface OpenAcademy {
  config: Config;
  close(): Promise<void>;
}

/** Loads the settings. With `withSandbox`, starts an embedded academy and uses it. */
export async function openAcademy(sources: SettingSources, withSandbox: boolean): Promise<OpenAcademy> {
  const { flags, environment, command } = sources;
  if (!withSandbox) {
    const config = loadConfig(flags, environment, command);
    refusePlaceholders(config);
    return { config, close: async () => {} };
  }
  const { startSandbox } = await import('../sandbox/index.ts');
  const sandbox = await startSandbox();
  // --sandbox overrides the address and key of a real academy, so that real data stays untouched.
  const key = { ACADEMY_API_KEY: sandbox.apiKey, ACADEMY_API_KEY_FILE: undefined };
  try {
    const config = loadConfig({ ...flags, baseUrl: sandbox.url }, { ...environment, ...key }, command);
    return { config, close: () => sandbox.close() };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}
