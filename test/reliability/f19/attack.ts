import type { IncomingMessage, ServerResponse } from 'node:http';
import { type SandboxOptions, startSandbox } from '../../../src/sandbox/index.ts';
import { listen } from '../../support/listen.ts';
import { startFaultServer } from '../fault-server.ts';
import { startHttpProgram } from '../http-program.ts';
import { connectInMemory, type InMemory } from '../in-memory.ts';

export type Reply = (url: URL, request: IncomingMessage, response: ServerResponse) => unknown;

async function startApi(reply: Reply) {
  let requests = 0;
  const { url, close } = await listen((request, response) => {
    requests += 1;
    request.resume().once('end', () => {
      const said = reply(new URL(request.url ?? '/', 'http://127.0.0.1'), request, response);
      if (said === undefined) return;
      if (!response.headersSent) response.writeHead(response.statusCode, { 'content-type': 'application/json' });
      response.end(typeof said === 'string' ? said : JSON.stringify(said));
    });
  });
  return { url, requests: () => requests, close };
}

/** One way to break a promise of the program. */
export interface Attack {
  readonly words: string;
  /** Runs only in the whole form: it starts programs or moves megabytes. */
  readonly isLong?: boolean;
  /** Tries it through the public interface. Returns why it was not blocked, or undefined. */
  readonly attempt: (ground: Ground) => Promise<string | undefined>;
}

type Settings = Record<string, string>;

/** What attacks run on. `clear` ends everything that it started. */
export interface Ground {
  /** An embedded academy, a server that records all requests to it, and a real client of the program in memory. */
  academy(settings?: Settings, options?: SandboxOptions): Promise<Academy>;
  over(reply: Reply, settings?: Settings): Promise<OverApi>;
  at(url: string, settings?: Settings): Promise<InMemory>;
  /** The built program over HTTP, with an embedded academy. */
  http(settings?: Settings): Promise<{ readonly url: string; readonly port: number }>;
  keep(close: () => unknown): void;
  clear(): Promise<void>;
}

export type Academy = Awaited<ReturnType<typeof openAcademy>>;
export type OverApi = Awaited<ReturnType<typeof openOver>>;
type Keep = Ground['keep'];

const common = { ACADEMY_RATE_LIMIT: 'off', ACADEMY_PREFLIGHT: 'false' };
/** The only POST of the API that only reads. */
const reading = /^GET |\/completion-percentage$/;
/** The factor of the pauses between checks for a write's effect. */
const pace = 0.02;

async function openAcademy(keep: Keep, settings: Settings = {}, options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 40, orders: 200, ...options });
  keep(() => sandbox.close());
  const between = await startFaultServer(sandbox.url);
  keep(() => between.close());
  const program = await openAt(keep, between.url, { ACADEMY_API_KEY: sandbox.apiKey, ...settings });
  const writes = () =>
    between.log.map(({ method, path }) => `${method} ${path}`).filter((request) => !reading.test(request));
  return { sandbox, between, writes, ...program };
}

async function openAt(keep: Keep, url: string, settings: Settings = {}): Promise<InMemory> {
  const environment = { ...common, ACADEMY_BASE_URL: url, ACADEMY_API_KEY: 'an-api-key-of-tests', ...settings };
  const program = await connectInMemory({ settings: environment, app: { pace } });
  keep(program.close);
  return program;
}

async function openOver(keep: Keep, reply: Reply, settings?: Settings) {
  const api = await startApi(reply);
  keep(api.close);
  return { ...(await openAt(keep, api.url, settings)), requests: api.requests };
}

async function openHttp(keep: Keep, settings: Settings = {}) {
  const sandbox = await startSandbox({ rateLimit: 'off', students: 20, orders: 50 });
  keep(() => sandbox.close());
  const environment = { ...common, ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey, ...settings };
  const program = await startHttpProgram({ environment });
  keep(program.close);
  return { url: program.url, port: Number(new URL(program.url).port) };
}

export function createGround(): Ground {
  const open: (() => unknown)[] = [];
  const keep: Keep = (close) => void open.push(close);
  return {
    keep,
    academy: (settings, options) => openAcademy(keep, settings, options),
    over: (reply, settings) => openOver(keep, reply, settings),
    at: (url, settings) => openAt(keep, url, settings),
    http: (settings) => openHttp(keep, settings),
    clear: async () => {
      for (const close of open.splice(0).reverse()) await close();
    },
  };
}

export function unless(isHeld: boolean, why: string): string | undefined {
  return isHeld ? undefined : why.slice(0, 400);
}

export function firstOf(reasons: Iterable<string | undefined>): string | undefined {
  return [...reasons].find((reason) => reason !== undefined);
}
