import type { Dispatcher, RequestInit, Response } from 'undici';
import { isLoopback } from '../../../shared/loopback.ts';

export type IssuerFetch = (location: string, options: RequestInit) => Promise<Response>;

/**
 * A fetch that honours HTTPS_PROXY and NO_PROXY, except for an issuer on this machine. The fetch of Node 20 and 22 does
 * not. Follows no redirects.
 */
export function createIssuerFetch(): IssuerFetch {
  const opened = new Map<boolean, Dispatcher>();
  return async (location, options) => {
    // Through `default`: undici is CommonJS, and a bundler cannot know its other names.
    const { Agent, EnvHttpProxyAgent, fetch } = (await import('undici')).default;
    const isLocal = isLoopback(new URL(location));
    const dispatcher = opened.get(isLocal) ?? (isLocal ? new Agent() : new EnvHttpProxyAgent());
    opened.set(isLocal, dispatcher);
    return await fetch(location, { ...options, redirect: 'error', dispatcher });
  };
}
