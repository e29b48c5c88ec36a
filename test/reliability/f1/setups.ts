import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { unwritableFile } from '../../support/unwritable.ts';
import type { Over } from '../built-program.ts';
import type { FaultKind } from '../fault.ts';
import type { FaultServer } from '../fault-server.ts';
import { refusedWrites } from '../faults.ts';
import { type Harness, type HarnessOptions, startHarness, straight, type Way } from '../harness.ts';
import type { ToolOperation } from '../operations.ts';
import { answerBytes } from '../raw-http.ts';

interface DeafWay extends Way {
  /** Prevents connections until the returned function is called. Rejects if the kernel of this machine still accepts them. */
  deafen(): Promise<() => void>;
}

const maxInBacklog = 20;

async function tryToConnect(port: number): Promise<{ socket: Socket; connected: boolean }> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const connected = once(socket, 'connect').then(() => true);
  return { socket, connected: await Promise.race([connected, sleep(200, false)]) };
}

async function fill(port: number): Promise<Socket[]> {
  const fillers: Socket[] = [];
  for (let tries = 0; tries < maxInBacklog; tries += 1) {
    const { socket, connected } = await tryToConnect(port);
    fillers.push(socket);
    if (!connected) return fillers;
  }
  throw new Error('the backlog of this machine never fills');
}

async function deafWay(faults: FaultServer): Promise<DeafWay> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('../places/deaf-listener.js', import.meta.url), {
    workerData: { target: faults.port, gate },
  });
  const [port] = (await once(worker, 'message')) as [number];
  const hear = () => {
    Atomics.store(gate, 0, 0);
    Atomics.notify(gate, 0);
  };

  async function deafen(): Promise<() => void> {
    Atomics.store(gate, 0, 1);
    worker.postMessage('be deaf');
    await once(worker, 'message');
    const fillers = await fill(port);
    return () => {
      for (const socket of fillers) socket.destroy();
      hear();
    };
  }

  const close = async () => {
    hear();
    await worker.terminate();
  };
  return { url: `http://127.0.0.1:${port}`, deafen, close };
}

/** A self-signed certificate for 127.0.0.1, as PEM, made with the program openssl. */
function selfSigned(folder: string, owner: string): { key: string; cert: string; file: string } {
  const files = { key: join(folder, `${owner}.key`), cert: join(folder, `${owner}.pem`) };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', files.key];
  const names = ['-subj', `/CN=${owner}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', ...newKey, ...names, '-out', files.cert], { stdio: 'pipe' });
  return { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.cert, 'utf8'), file: files.cert };
}

type TlsMode = 'good' | 'stall' | 'reset' | 'bad cert';

interface TlsWay extends Way {
  set(mode: TlsMode): void;
}

async function tlsWay(faults: FaultServer): Promise<TlsWay> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-reliability-'));
  const trusted = selfSigned(folder, 'trusted');
  const good = createSecureContext(trusted);
  const bad = createSecureContext(selfSigned(folder, 'stranger'));
  const open = new Set<Socket>();
  let mode: TlsMode = 'good';

  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    if (mode === 'stall') return;
    if (mode === 'reset') return void socket.once('data', () => socket.resetAndDestroy());
    const secured = new TLSSocket(socket, { isServer: true, secureContext: mode === 'good' ? good : bad });
    faults.accept(secured);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    environment: { NODE_EXTRA_CA_CERTS: trusted.file },
    set: (next) => {
      mode = next;
    },
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await rm(folder, { recursive: true });
    },
  };
}

export interface InPlace {
  /** Number of requests that it hit; undefined if it does not act on requests. */
  readonly met?: () => number;
  heal(): Promise<void> | void;
}

export interface Bench {
  readonly harness: Harness;
  apply(kind: FaultKind, operation: ToolOperation): Promise<InPlace> | InPlace;
}

/** Fault kinds that share a harness, and the number of such harnesses in parallel. */
export interface Setup {
  readonly takes: (kind: FaultKind) => boolean;
  readonly lanes: number;
  /** The fault lasts as long as the program: every later call returns the same error. */
  readonly lasting?: true;
  /** How long the program itself pauses after the fault, in milliseconds. */
  readonly calmMs?: number;
  readonly says?: FaultKind['says'];
  readonly note?: string;
  open(over: Over): Promise<Bench>;
}

/** Timeout in milliseconds: short, so that silent faults end soon, but long enough for a busy machine. */
const settings = { ACADEMY_TIMEOUT_MS: '2000', ACADEMY_RATE_LIMIT: '10000', ACADEMY_RATE_SHARE: '1' };

export const open = <W extends Way>(options: HarnessOptions<W>) =>
  startHarness({ ...options, settings: { ...settings, ...options.settings } });

const isNamed =
  (...names: string[]) =>
  ({ name }: FaultKind) =>
    names.includes(name);
const preload = (file: string) => ['--import', new URL(`../places/${file}`, import.meta.url).href];

function armFor({ faults }: Harness, { name, fault }: FaultKind, { method, path }: ToolOperation): InPlace {
  if (fault === undefined) throw new Error(`${name} has no setup`);
  const match = (itsMethod: string, itsPath: string) => itsMethod === method && itsPath.startsWith(path);
  const armed = faults.arm({ name, fault, match });
  return { met: armed.consumed, heal: armed.disarm };
}

/** Something that happens to the process while the server handles the request of the operation, and answers normally. */
function during(
  harness: Harness,
  kind: FaultKind,
  operation: ToolOperation,
  happen: (pid: number) => Promise<void>,
): InPlace {
  const fault: FaultKind['fault'] = {
    at: 'body',
    act: async ({ socket, work }) => {
      const answer = answerBytes(await work());
      const happening = happen(harness.program.pid);
      socket.write(answer);
      await happening;
    },
  };
  return armFor(harness, { ...kind, fault }, operation);
}

async function stall(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await sleep(2_000);
  process.kill(pid, 'SIGCONT');
}

/** The signal toggles the preloaded code, which handles it within a few milliseconds. */
async function toggle(pid: number): Promise<void> {
  process.kill(pid, 'SIGUSR2');
  await sleep(50);
}

const ordinary: Setup = {
  takes: ({ name, fault }) =>
    name !== '401' && (fault !== undefined || name === 'refused' || name === 'event-loop stall 2 s'),
  lanes: 6,
  open: async (over) => {
    const harness = await open({ over, way: straight });
    const apply: Bench['apply'] = async (kind, operation) => {
      if (kind.name === 'refused') return { heal: await harness.faults.refuse() };
      return kind.fault === undefined ? during(harness, kind, operation, stall) : armFor(harness, kind, operation);
    };
    return { harness, apply };
  },
};

/** A refused key is not tried again for 30 s, which would affect other calls. */
const refusedKey: Setup = {
  takes: isNamed('401'),
  lanes: 2,
  calmMs: 30_500,
  open: async (over) => {
    const harness = await open({ over, way: straight });
    return { harness, apply: (kind, operation) => armFor(harness, kind, operation) };
  },
};

const noSuchName: Setup = {
  takes: isNamed('DNS fail'),
  lanes: 1,
  lasting: true,
  open: async (over) => {
    const way = async (): Promise<Way> => ({ url: 'https://academy.invalid', close: async () => {} });
    const harness = await open({ over, way, settings: { ACADEMY_RATE_LIMIT: '10000' } });
    return { harness, apply: () => ({ heal: () => {} }) };
  },
};

const slowNames: Setup = {
  takes: isNamed('DNS slow'),
  lanes: 1,
  open: async (over) => {
    const way = async ({ port }: { port: number }): Promise<Way> => ({
      url: `http://localhost:${port}`,
      close: async () => {},
    });
    const harness = await open({ over, way, nodeFlags: preload('slow-names.js') });
    const apply = async () => {
      await toggle(harness.program.pid);
      return { heal: () => toggle(harness.program.pid) };
    };
    return { harness, apply };
  },
};

const fullBacklog: Setup = {
  takes: isNamed('connect timeout'),
  lanes: 1,
  open: async (over) => {
    const harness = await open({ over, way: deafWay });
    return { harness, apply: async () => ({ heal: await harness.way.deafen() }) };
  },
};

const tlsModes: Record<string, TlsMode> = { 'TLS stall': 'stall', 'TLS reset': 'reset', 'bad cert': 'bad cert' };

const tls: Setup = {
  takes: isNamed(...Object.keys(tlsModes)),
  lanes: 1,
  open: async (over) => {
    const harness = await open({ over, way: tlsWay, settings: { ACADEMY_RATE_LIMIT: '10000' } });
    const apply: Bench['apply'] = ({ name }) => {
      harness.way.set(tlsModes[name] ?? 'good');
      return { heal: () => harness.way.set('good') };
    };
    return { harness, apply };
  },
};

const clock: Setup = {
  takes: isNamed('clock jump ±1 h'),
  lanes: 1,
  open: async (over) => {
    // A frozen queue would wait for an hour; this limit ends the wait after 10 s.
    const settings = { ACADEMY_MAX_WAIT_MS: '10000' };
    const harness = await open({ over, way: straight, nodeFlags: preload('clock-step.js'), settings });
    return { harness, apply: (kind, operation) => during(harness, kind, operation, toggle) };
  },
};

const fullDisk: Setup = {
  takes: isNamed('disk full for logs'),
  lanes: 1,
  open: async (over) => {
    const stderr = openSync('/dev/full', 'w');
    const harness = await open({ over, way: straight, stderr, settings: { LOG_LEVEL: 'debug' } });
    return { harness, apply: () => ({ heal: () => {} }) };
  },
};

/** A write that cannot be recorded is not sent. */
const fullAuditDisk: Setup = {
  takes: isNamed('disk full for logs'),
  lanes: 1,
  note: 'the audit log',
  says: refusedWrites('internal', 'api_unavailable'),
  open: async (over) => {
    const harness = await open({ over, way: straight, settings: { ACADEMY_AUDIT_LOG: unwritableFile } });
    return { harness, apply: () => ({ heal: () => {} }) };
  },
};

export const setups: readonly Setup[] = [
  ordinary,
  refusedKey,
  noSuchName,
  slowNames,
  fullBacklog,
  tls,
  clock,
  fullDisk,
  fullAuditDisk,
];
