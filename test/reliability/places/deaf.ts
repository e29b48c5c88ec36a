import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { FaultServer } from '../fault-server.ts';
import type { Way } from '../harness.ts';

export interface DeafWay extends Way {
  /** Prevents connections until the returned function is called. Rejects if the kernel of this machine still accepts them. */
  deafen(): Promise<() => void>;
}

const maxInBacklog = 20;

/** Connects; undefined if there is no connection after 200 ms. */
async function tryToConnect(port: number): Promise<{ socket: Socket; connected: boolean }> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const connected = once(socket, 'connect').then(() => true);
  return { socket, connected: await Promise.race([connected, sleep(200, false)]) };
}

/** Fills the backlog of a listener that accepts nothing. */
async function fill(port: number): Promise<Socket[]> {
  const fillers: Socket[] = [];
  for (let tries = 0; tries < maxInBacklog; tries += 1) {
    const { socket, connected } = await tryToConnect(port);
    fillers.push(socket);
    if (!connected) return fillers;
  }
  throw new Error('the backlog of this machine never fills');
}

/** A listener in front of the fault server that can be made deaf. */
export async function deafWay(faults: FaultServer): Promise<DeafWay> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('deaf-listener.js', import.meta.url), {
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
