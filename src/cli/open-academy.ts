import { type Config, loadConfig } from '../config/load.ts';
import type { Environment, Flags } from '../config/setting-sources.ts';

/** The settings, and what has to be closed at the end. */
export interface OpenAcademy {
  config: Config;
  close(): Promise<void>;
}

/** The academy that the settings name, or an embedded one of our own to serve from. */
export async function openAcademy(flags: Flags, environment: Environment, withSandbox: boolean): Promise<OpenAcademy> {
  if (!withSandbox) return { config: loadConfig(flags, environment), close: async () => {} };
  const { startSandbox } = await import('../sandbox/index.ts');
  const sandbox = await startSandbox();
  // An address and key of a real academy may be set as well: --sandbox wins, so that nothing real is touched.
  const config = loadConfig({ ...flags, baseUrl: sandbox.url }, { ...environment, ACADEMY_API_KEY: sandbox.apiKey });
  return { config, close: () => sandbox.close() };
}
