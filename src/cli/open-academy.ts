import { type Config, loadConfig } from '../config/load.ts';
import type { Environment, Flags } from '../config/setting-sources.ts';

/** The settings, and a function that closes the embedded academy, if any. */
interface OpenAcademy {
  config: Config;
  close(): Promise<void>;
}

/** Loads the settings. With `withSandbox`, starts an embedded academy and uses it. */
export async function openAcademy(flags: Flags, environment: Environment, withSandbox: boolean): Promise<OpenAcademy> {
  if (!withSandbox) return { config: loadConfig(flags, environment), close: async () => {} };
  const { startSandbox } = await import('../sandbox/index.ts');
  const sandbox = await startSandbox();
  // --sandbox overrides the address and key of a real academy, so that real data stays untouched.
  const config = loadConfig({ ...flags, baseUrl: sandbox.url }, { ...environment, ACADEMY_API_KEY: sandbox.apiKey });
  return { config, close: () => sandbox.close() };
}
