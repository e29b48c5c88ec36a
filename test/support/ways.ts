import { onTestFinished } from 'vitest';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import type { Era, EraClient, Person } from './eras.ts';
import { startHttp } from './http-server.ts';

export interface Setup {
  client: EraClient;
}

/** How a client reaches the server. */
export interface Way {
  name: string;
  open(era: Era, options?: { person?: Person; sandbox?: SandboxOptions }): Promise<Setup>;
}

export const ways: Way[] = [
  {
    name: 'stdio',
    open: async (era, { person, sandbox: options } = {}) => {
      const sandbox = await startSandbox({ rateLimit: 'off', students: 40, orders: 200, ...options });
      onTestFinished(() => sandbox.close());
      const environment = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey };
      return { client: await era.connect({ environment }, person) };
    },
  },
  ...[false, true].map(
    (stateless): Way => ({
      name: stateless ? 'HTTP without sessions' : 'HTTP',
      open: async (era, { person, sandbox: options } = {}) => {
        const { url } = await startHttp({}, { stateless, ...(options === undefined ? {} : { sandbox: options }) });
        const client = await era.connect({ url }, person);
        return { client };
      },
    }),
  ),
];
