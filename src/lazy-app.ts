import type { Logger } from 'pino';
import type { AccountApp, App } from './app.ts';
import type { EventFeed } from './events/event-feed.ts';
import { createLazyService, withOnListed } from './mcp/lazy-service.ts';
import { createResourceUpdates } from './mcp/listing.ts';
import type { StartParts } from './start-parts.ts';

/** The parts of an app that serve a client. */
export type ServedApp = Pick<App, 'serviceFor' | 'running' | 'close'>;

interface LazyAppOptions {
  readonly events?: EventFeed | undefined;
  /** Whether a client that asks for the tools opens the app, soon after the answer. */
  readonly opensOnceListed?: boolean;
}

/** Between the first tools/list and opening the rest, in milliseconds: its answer goes out first. */
const listedDelayMs = 100;

/**
 * An app that answers initialize and the lists from the parts that a start needs, and is opened by the first request that needs more, or
 * `opensOnceListed`.
 */
export function createLazyApp(
  parts: StartParts,
  log: Logger,
  open: () => Promise<AccountApp>,
  { events, opensOnceListed = false }: LazyAppOptions = {},
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
      const { tools, ...listed } = parts.listsFor(principal.scopes);
      const updates = createResourceUpdates(listed.changing, events);
      const load = async () => (await app()).serviceFor(principal, conversation);
      const service = createLazyService({ name, version, title, instructions, codes, tools, listed, updates }, load);
      return withOnListed(service, opensOnceListed ? openOnceListed : undefined);
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
