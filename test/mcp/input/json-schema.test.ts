import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { fullPrincipal } from '../../../src/mcp/principal.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { catalog } from '../../../tools/catalog.ts';
import { tools } from '../../../tools/index.ts';

function listed(settings: Record<string, string> = {}) {
  const config = loadConfig({}, { ACADEMY_BASE_URL: 'http://127.0.0.1:9', ACADEMY_API_KEY: 'key', ...settings });
  const app = createApp({ config, ...catalog, log: createLogger('silent', [], { write: () => {} }) });
  onTestFinished(() => app.close());
  return app.serviceFor(fullPrincipal('test'), { hasUserContent: false }).tools;
}

test('the schemas of a tool are converted once for all servers of a process', () => {
  const [first, second] = [listed(), listed()];
  expect(first).toHaveLength(tools.length);
  for (const [index, { name, inputSchema, outputSchema }] of first.entries()) {
    expect(second[index]?.inputSchema, name).toBe(inputSchema);
    expect(second[index]?.outputSchema, name).toBe(outputSchema);
  }
});

test('servers with different confirmation policies list different arguments', () => {
  const confirmOf = (settings: Record<string, string>) =>
    listed(settings).find(({ name }) => name === 'revoke_course')?.inputSchema.properties;
  expect(confirmOf({ ACADEMY_CONFIRM: 'argument' })).toMatchObject({ confirm: { type: 'boolean' } });
  expect(confirmOf({ ACADEMY_CONFIRM: 'preview' })).toMatchObject({ confirm: { type: 'string' } });
  expect(confirmOf({ ACADEMY_CONFIRM: 'argument' })).toMatchObject({ confirm: { type: 'boolean' } });
});
