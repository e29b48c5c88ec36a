import { expect, test } from 'vitest';
import { createApi } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { getAccount } from '../../src/contract/account.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { startRecorder } from '../support/recorder.ts';

test('a read that waits for a retry fails at once when the program ends', async () => {
  const academy = await startRecorder({ status: 503, body: { error: 'down' } });
  const config = loadConfig({}, { ACADEMY_BASE_URL: academy.url, ACADEMY_API_KEY: 'key', ACADEMY_RATE_LIMIT: 'off' });
  // The pauses last up to a minute, so the program ends during one of them.
  const api = createApi(config, createLogger('silent', [], { write: () => {} }), { pace: 100 });
  const call = api.call(getAccount, {});
  const refused = expect(call).rejects.toMatchObject({ name: 'AcademyError', code: 'cancelled' });
  await expect.poll(() => academy.requests.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const closed = api.close();
  api.endReads();
  await refused;
  await closed;
});
