import { once } from 'node:events';
import { openSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { atEnd } from '../../support/at-end.ts';
import { makeCertificates } from '../../support/certificates.ts';
import { listen } from '../../support/listen.ts';
import { unwritableFile } from '../../support/sandbox.ts';
import type { FaultServer } from '../fault-server.ts';
import { type FaultKind, refusedWrites } from '../faults.ts';
import type { ToolOperation } from '../operations.ts';
import { type Harness, type HarnessOptions, type Over, startHarness, type Way } from '../programs.ts';

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

/** Its fault: no connections. Rejects if the kernel of this machine still accepts them. */
async function deafWay(faults: FaultServer): Promise<Way> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('../places/deaf-listener.js', import.meta.url), {
    workerData: { target: faults.port, gate },
  });
  const [port] = (await once(worker, 'message')) as [number];
  const hear = () => {
    Atomics.store(gate, 0, 0);
    Atomics.notify(gate, 0);
  };

  async function disturb(): Promise<() => void> {
    Atomics.store(gate, 0, 1);
    worker.postMessage('be deaf');
    await once(worker, 'message');
    const fillers = await fill(port);
    return () => {
      for (const socket of fillers) socket.destroy();
      hear();
    };
  }

  atEnd(async () => {
    hear();
    await worker.terminate();
  });
  return { url: `http://127.0.0.1:${port}`, disturb };
}

const tlsFaults = ['TLS stall', 'TLS reset', 'bad cert'];

async function tlsWay(faults: FaultServer): Promise<Way> {
  const trusted = makeCertificates([]);
  const [good, bad] = [createSecureContext(trusted), createSecureContext(makeCertificates([]))];
  const open = new Set<Socket>();
  let mode = 'good';
  const { port } = await listen(
    createServer((socket) => {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => open.delete(socket));
      if (mode === 'TLS stall') return;
      if (mode === 'TLS reset') return void socket.once('data', () => socket.resetAndDestroy());
      faults.accept(new TLSSocket(socket, { isServer: true, secureContext: mode === 'good' ? good : bad }));
    }),
  );
  atEnd(() => {
    for (const socket of open) socket.destroy();
  });
  return {
    url: `https://127.0.0.1:${port}`,
    environment: { NODE_EXTRA_CA_CERTS: trusted.authority },
    disturb: async (name) => {
      mode = name;
      return () => {
        mode = 'good';
      };
    },
  };
}

export interface InPlace {
  /** Number of requests that it hit; undefined if it does not act on requests. */
  readonly met?: () => number;
  heal(): Promise<void> | void;
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
  readonly options?: () => Partial<HarnessOptions>;
  /** Default: the harness itself is the fault. */
  readonly apply?: (harness: Harness, kind: FaultKind, operation: ToolOperation) => Promise<InPlace> | InPlace;
}

/** Timeout in milliseconds: short, so that silent faults end soon, but long enough for a busy machine. */
const settings = { ACADEMY_TIMEOUT_MS: '2000', ACADEMY_RATE_LIMIT: '10000', ACADEMY_RATE_SHARE: '1' };

export const open = ({ options }: Setup, over: Over): Promise<Harness> => {
  const own = options?.() ?? {};
  return startHarness({ over, ...own, settings: { ...settings, ...own.settings } });
};

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
    act: async ({ answer, work }) => {
      const done = await work();
      const happening = happen(harness.program.pid);
      answer(done);
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
  apply: async (harness, kind, operation) => {
    if (kind.name === 'refused') return { heal: await harness.faults.refuse() };
    return kind.fault === undefined ? during(harness, kind, operation, stall) : armFor(harness, kind, operation);
  },
};

/** A refused key is not tried again for 30 s, which would affect other calls. */
const refusedKey: Setup = { takes: isNamed('401'), lanes: 2, calmMs: 30_500, apply: armFor };

const at = (url: string) => async (): Promise<Way> => ({ url });

const noSuchName: Setup = {
  takes: isNamed('DNS fail'),
  lanes: 1,
  lasting: true,
  options: () => ({ way: at('https://academy.invalid') }),
};

const slowNames: Setup = {
  takes: isNamed('DNS slow'),
  lanes: 1,
  options: () => ({
    way: ({ port }) => at(`http://localhost:${port}`)(),
    nodeFlags: preload('slow-names.js'),
  }),
  apply: async ({ program: { pid } }) => {
    await toggle(pid);
    return { heal: () => toggle(pid) };
  },
};

/** The way to the server makes the fault. */
const disturb = async ({ way }: Harness, { name }: FaultKind): Promise<InPlace> => {
  if (way.disturb === undefined) throw new Error(`the way makes no ${name}`);
  return { heal: await way.disturb(name) };
};

const fullBacklog: Setup = {
  takes: isNamed('connect timeout'),
  lanes: 1,
  options: () => ({ way: deafWay }),
  apply: disturb,
};

const tls: Setup = { takes: isNamed(...tlsFaults), lanes: 1, options: () => ({ way: tlsWay }), apply: disturb };

const clock: Setup = {
  takes: isNamed('clock jump ±1 h'),
  lanes: 1,
  // A frozen queue would wait for an hour; this limit ends the wait after 10 s.
  options: () => ({ nodeFlags: preload('clock-step.js'), settings: { ACADEMY_MAX_WAIT_MS: '10000' } }),
  apply: (harness, kind, operation) => during(harness, kind, operation, toggle),
};

const fullDisk: Setup = {
  takes: isNamed('disk full for logs'),
  lanes: 1,
  options: () => ({ stderr: openSync('/dev/full', 'w'), settings: { LOG_LEVEL: 'debug' } }),
};

/** A write that cannot be recorded is not sent. */
const fullAuditDisk: Setup = {
  takes: isNamed('disk full for logs'),
  lanes: 1,
  note: 'the audit log',
  says: refusedWrites('internal', 'api_unavailable'),
  options: () => ({ settings: { ACADEMY_AUDIT_LOG: unwritableFile } }),
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
