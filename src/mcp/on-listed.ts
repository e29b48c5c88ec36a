import type { Service } from './service.ts';

/** Calls back when a client asks for the list of tools. Undefined: no callback. */
export function withOnListed(service: Service, onListed: (() => void) | undefined): Service {
  if (onListed === undefined) return service;
  const { tools } = service;
  return {
    ...service,
    get tools() {
      onListed();
      return tools;
    },
  };
}
