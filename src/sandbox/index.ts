import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SettingsError } from '../shared/errors.ts';
import { type Account, accountSettings, openAccounts } from './accounts.ts';
import { handleRequest, type RequestSettings, send } from './http/handle-request.ts';
import { openJournal } from './journal/journal.ts';
import { parseOptions, type ResolvedOptions, type SandboxOptions } from './options.ts';

export type { SandboxOptions } from './options.ts';

type ServerSettings = RequestSettings & Pick<ResolvedOptions, 'host' | 'port' | 'latencyMs'>;

/** How long requests in progress may take when the server closes. */
const graceMs = 1000;

/** Long, so a client rarely writes to a connection that the server is closing. With Node's default of 5 s that is common. */
const keepAliveMs = 65_000;

async function startServer(settings: ServerSettings) {
  const closing = new AbortController();
  // Each delayed response adds a listener; from 11 on, Node would warn of a leak.
  setMaxListeners(0, closing.signal);
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    void handle(request, response, settings, closing.signal);
  });
  await listen(server, settings);
  return {
    url: urlOf(server, settings.host),
    /** Answers the requests in progress, without further latency, and ends all connections. */
    close: async () => {
      closing.abort();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(timer);
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  settings: ServerSettings,
  closing: AbortSignal,
): Promise<void> {
  const requestId = randomUUID();
  response.setHeader('X-Request-Id', requestId);
  const outcome = await handleRequest(request, requestId, settings);
  if (settings.latencyMs > 0) await delay(settings.latencyMs, undefined, { signal: closing }).catch(() => undefined);
  if (outcome === 'cut') return void request.socket.destroy();
  if (closing.aborted) response.setHeader('Connection', 'close');
  send(response, outcome);
}

async function listen(server: Server, { host, port }: ServerSettings): Promise<void> {
  await once(server.listen(port, host), 'listening').catch((error: Error) => {
    throw new SettingsError(`cannot listen on ${host} port ${port}: ${error.message}`);
  });
}

/** A server on all interfaces is reachable at the loopback address. */
function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Starts a sandbox. Rejects with a SettingsError for an invalid option, a port in use or an unusable journal file, and
 * with an Error that names file and line for a journal that cannot be replayed.
 */
export async function startSandbox(chosen: SandboxOptions = {}) {
  const options = parseOptions(chosen);
  const settings = accountSettings(options);
  const opened = options.data === undefined ? undefined : await openJournal(options.data);
  const stopping = new AbortController();
  // Each webhook target and account adds a listener; from 11 on, Node would warn of a leak.
  setMaxListeners(0, stopping.signal);
  const release = async () => {
    stopping.abort();
    await opened?.journal.close();
  };
  try {
    const [first, ...others] = await openAccounts(settings, { options, opened, signal: stopping.signal });
    if (first === undefined) throw new Error('a sandbox needs at least one account');
    const accounts = [first, ...others] as const;
    const { url, close } = await startServer({ ...options, accounts });
    for (const account of accounts) startActivity(account, stopping.signal, options.log);
    let closed: Promise<void> | undefined;
    return {
      url,
      /** An admin key of the first account. */
      apiKey: first.settings.apiKeys[0] ?? '',
      /** A key of a user who is not an admin, in the first account; empty if there is none. */
      studentKey: first.settings.studentKeys[0] ?? '',
      accounts: accounts.map(({ settings: { subdomain, apiKeys, students, orders } }) => {
        return { subdomain, url: `${url}/${subdomain}`, apiKeys, students, orders };
      }),
      academy: first.academy,
      /** Ends connections, timers and deliveries. A second call has no effect. */
      close: () => (closed ??= close().finally(release)),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Simulates member activity in an account, at even intervals, until `signal` aborts. */
function startActivity(account: Account, signal: AbortSignal, log: (line: string) => void): void {
  const { activity } = account.settings;
  if (activity === 0) return;
  const timer = setInterval(() => {
    account.simulate().catch((error: unknown) => log(`activity failed: ${String(error)}`));
  }, 60_000 / activity);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
