import type { Logger } from 'pino';
import type { App } from './app.ts';
import type { EventFeed } from './events/event-feed.ts';
import type { Front } from './front.ts';
import { createLazyService } from './mcp/lazy-service.ts';
import { createResourceUpdates } from './mcp/resource-updates.ts';

/** The parts of an app that serve a client. */
export type ServedApp = Pick<App, 'serviceFor' | 'running' | 'close'>;

/** An app that answers initialize and the lists from its front, and is opened by the first request that needs more. */
export function createLazyApp(front: Front, log: Logger, open: () => Promise<App>, events?: EventFeed): ServedApp {
  const { name, version, title, instructions, codes, running } = front;
  let opened: Promise<App> | undefined;

  function app(): Promise<App> {
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

  return {
    running,
    serviceFor: (principal, conversation) => {
      const { tools, ...listed } = front.listsFor(principal.scopes);
      const updates = createResourceUpdates(listed.changing, events);
      const load = async () => (await app()).serviceFor(principal, conversation);
      return createLazyService({ name, version, title, instructions, codes, tools, listed, updates }, load);
    },
    close: async () => {
      const whole = await opened?.catch(() => undefined);
      if (whole === undefined) front.audit.end();
      else await whole.close();
    },
  };
}
