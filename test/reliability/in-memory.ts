import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { type AppOptions, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { catalog } from '../../tools/catalog.ts';
import { serverFor } from '../support/serve.ts';
import { sharedValidator } from '../support/validator.ts';
import { readToolAnswer, type ToolAnswer } from './tool-answer.ts';

interface InMemoryOptions {
  settings: Record<string, string>;
  /** Options that the program has no setting for. */
  app?: Partial<AppOptions>;
}

export interface InMemory {
  readonly client: Client;
  call(name: string, args: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** Settings for an academy at this address, without a limit of requests. */
export const unlimited = (url: string, apiKey: string, more: Record<string, string> = {}): Record<string, string> => ({
  ACADEMY_BASE_URL: url,
  ACADEMY_API_KEY: apiKey,
  ACADEMY_RATE_LIMIT: 'off',
  ...more,
});

const maxCall = 120_000;

/** A real client and the real server in one process, for thousands of cases and for scaled waits. */
export async function connectInMemory({ settings, app: more = {} }: InMemoryOptions): Promise<InMemory> {
  const config = loadConfig({}, { LOG_LEVEL: 'silent', ...settings });
  const log = createLogger(config.logLevel, [config.apiKey], { write: () => {} });
  const app = createApp({ config, ...catalog, log, ...more });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'reliability', version: '1' }, { jsonSchemaValidator: sharedValidator });
  await Promise.all([serverFor(app, 'reliability').connect(serverSide), client.connect(clientSide)]);
  await client.listTools();
  return {
    client,
    call: async (name, args) =>
      readToolAnswer(await client.callTool({ name, arguments: args }, undefined, { timeout: maxCall })),
    close: async () => {
      await client.close();
      await app.close();
    },
  };
}
