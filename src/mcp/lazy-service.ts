import { AcademyError, rpcCodes } from '../shared/errors.ts';
import { RpcError } from './rpc-error.ts';
import type { Service, ServiceFront } from './service.ts';

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
export function createLazyService(front: ServiceFront, load: () => Promise<Service>): Service {
  const loadOrRefuse = (): Promise<Service> =>
    load().catch((error: unknown) => {
      throw new RpcError(rpcCodes.internal, errorMessage(error));
    });
  return {
    ...front,
    call: async (name, given, asking) => {
      const service = await load().catch(errorMessage);
      if (typeof service !== 'string') return await service.call(name, given, asking);
      return { content: [{ type: 'text', text: service }], isError: true, _meta: {} };
    },
    read: async (uri, asking) => (await loadOrRefuse()).read(uri, asking),
    prompt: async (name, given) => (await loadOrRefuse()).prompt(name, given),
    complete: async (request) => (await loadOrRefuse()).complete(request),
  };
}
