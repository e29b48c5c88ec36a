import type { Logger } from 'pino';
import type { AccountApp, App } from './app.ts';
import { RpcError } from './mcp/rpc-error.ts';
import type { Service, ServiceFront } from './mcp/service.ts';
import { AcademyError, rpcCodes } from './shared/errors.ts';
import type { StartParts } from './start-parts.ts';

export type ServedApp = Pick<App, 'serviceFor' | 'running' | 'close'>;

/** Between the first tools/list and opening the rest, in milliseconds: its answer goes out first. */
const listedDelayMs = 100;

const notLoaded = new AcademyError(
  'internal',
  'a part of the program could not be loaded. Its files may have changed since it started: restart the server. Nothing was sent or changed',
);

/** Our own error says why the service cannot be opened at all; any other is about a part of the program. */
function errorMessage(error: unknown): string {
  // Not by `errorText`: that loads most of what this service puts off.
  const { code, message, hint } = error instanceof AcademyError ? error : notLoaded;
  return `${code}: ${message}.${hint === undefined ? '' : `\nHint: ${hint}`}`;
}

/** A service that lists at once, and loads the definitions of tools for the first request that needs them. */
function createLazyService(front: ServiceFront, load: () => Promise<Service>): Service {
  const loadOrRefuse = (): Promise<Service> =>
    load().catch((error: unknown) => {
      throw new RpcError(rpcCodes.internal, errorMessage(error));
    });
  return {
    ...front,
    call: async (name, args, asking) => {
      const service = await load().catch(errorMessage);
      if (typeof service !== 'string') return await service.call(name, args, asking);
      return { content: [{ type: 'text', text: service }], isError: true, _meta: {} };
    },
    read: async (uri, asking) => (await loadOrRefuse()).read(uri, asking),
    prompt: async (name, args) => (await loadOrRefuse()).prompt(name, args),
    complete: async (request) => (await loadOrRefuse()).complete(request),
  };
}

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
