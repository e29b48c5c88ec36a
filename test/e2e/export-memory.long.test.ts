import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { createCaller } from '../reliability/http/caller.ts';
import { startHttpProgram } from '../reliability/http-program.ts';
import { callMessage, initialize } from '../support/http-server.ts';
import { start } from '../support/sandbox.ts';

const token = 'first-token-0123456789abcdef';
/** 32 MiB of a text that packs well, so that all of it is kept. */
const largest =
  "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 500000) SELECT x, printf('%80d', x) AS y FROM n";
const mebibytes = (kilobytes: string | undefined) => Number(kilobytes) / 1_024;

test.skipIf(platform() !== 'linux')(
  '40 reads at a time of the largest export leave the program below 400 MB',
  { timeout: 120_000 },
  async () => {
    const sandbox = await start({ students: 20, orders: 50 });
    const program = await startHttpProgram({
      environment: {
        ACADEMY_BASE_URL: sandbox.url,
        ACADEMY_API_KEY: sandbox.apiKey,
        ACADEMY_HTTP_TOKENS: token,
        ACADEMY_MIRROR: 'memory',
      },
    });
    const caller = createCaller(program.url, 50);
    onTestFinished(async () => {
      await caller.close();
      await program.close();
    });
    const headers = { authorization: `Bearer ${token}` };
    const { session } = await caller.send(initialize, headers);
    const own = { ...headers, 'mcp-session-id': session };
    const { message } = await caller.send(callMessage(1, 'export_data', { sql: largest }), own);
    const links = message?.result?.structuredContent?.links;
    if (!Array.isArray(links)) throw new Error(JSON.stringify(message));
    expect(links.length).toBeGreaterThan(10);
    const reads = Array.from({ length: 40 }, async (_, index) => {
      const params = { uri: links[index % links.length] };
      const { text } = await caller.send({ jsonrpc: '2.0', id: index + 2, method: 'resources/read', params }, own);
      return text.includes('text/csv') && text.length > 2 ** 20;
    });
    expect((await Promise.all(reads)).filter((isWhole) => !isWhole).length).toBeLessThanOrEqual(3);
    const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8')) ?? [];
    expect(mebibytes(peak)).toBeLessThan(400);
  },
);
