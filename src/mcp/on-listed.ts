import type { Service } from './service.ts';

/** A service that says when a client asks for its tools. Undefined: nobody wants to know. */
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
