import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { type ProgramOptions, startProgram } from './built-program.ts';
import { type FaultServer, startFaultServer } from './fault-server.ts';

/** The address that the program uses for the academy, and its connection to the fault server. */
export interface Way {
  readonly url: string;
  readonly environment?: Record<string, string>;
  /** Makes a fault of this name, until the returned function is called. */
  disturb?(name: string): Promise<() => void>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  sandbox?: SandboxOptions;
  settings?: Record<string, string>;
  over?: ProgramOptions['over'];
  nodeFlags?: ProgramOptions['nodeFlags'];
  stderr?: ProgramOptions['stderr'];
  way: (faults: FaultServer) => Promise<Way>;
}

export type Harness = Awaited<ReturnType<typeof startHarness>>;

export const straight = async ({ url }: FaultServer): Promise<Way> => ({ url, close: async () => {} });

export async function startHarness(options: HarnessOptions) {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 120, orders: 300, ...options.sandbox });
  const faults = await startFaultServer(sandbox.url);
  const way = await options.way(faults);
  const environment = {
    ACADEMY_BASE_URL: way.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ...way.environment,
    ...options.settings,
  };
  const { nodeFlags = [], stderr = 'pipe', over = 'stdio' } = options;
  const program = await startProgram({ environment, nodeFlags, stderr, over });
  const close = async () => {
    await program.close();
    await way.close();
    await faults.close();
    await sandbox.close();
  };
  return { sandbox, faults, way, program, close };
}
