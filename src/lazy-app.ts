import type { Logger } from 'pino';
import type { AccountApp, App } from './app.ts';
import { createLazyService } from './mcp/lazy-service.ts';
import type { StartParts } from './start-parts.ts';

export type ServedApp = Pick<App, 'serviceFor' | 'running' | 'close'>;

/** Between the first tools/list and opening the rest, in milliseconds: its answer goes out first. */
const listedDelayMs = 100;

/** Lists from the parts that a start needs, and is opened by the first request that needs more. */
export function createLazyApp(
  parts: StartParts,
  log: Logger,
  open: () => Promise<AccountApp>,
  opensOnceListed: boolean,
): ServedApp {
  const { name, version, title, instructions, codes, running } = parts;
  let opened: Promise<AccountApp> | undefined;

  function app(): Promise<AccountApp> {
    opened ??= open().catch((error: unknown) => {
      // The next request tries again.
      opened = undefined;
      log.error({ err: error }, 'failed to load a part of the program');
      throw error;
    });
    // The program ends after it, as after a call.
    const loading = opened;
    running.add(loading);
    const done = () => running.delete(loading);
    loading.then(done, done);
    return loading;
  }

  function openOnceListed(): void {
    const opening = () => app().then((whole) => whole.listed());
    setTimeout(() => void opening().catch(() => {}), listedDelayMs).unref();
  }

  return {
    running,
    serviceFor: (principal, conversation) => {
      const lists = parts.listsFor(principal.scopes);
      const load = async () => (await app()).serviceFor(principal, conversation);
      const onListed = opensOnceListed ? openOnceListed : undefined;
      return createLazyService({ name, version, title, instructions, codes, lists, onListed }, load);
    },
    close: async () => {
      const whole = await opened?.catch(() => undefined);
      if (whole === undefined) {
        await parts.audit?.end();
        await parts.journal?.close();
      } else await whole.close();
    },
  };
}
