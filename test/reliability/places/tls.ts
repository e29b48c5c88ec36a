import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { FaultServer } from '../fault-server.ts';
import type { Way } from '../harness.ts';
import { selfSigned } from './certificate.ts';

export type TlsMode = 'good' | 'stall' | 'reset' | 'bad cert';

export interface TlsWay extends Way {
  set(mode: TlsMode): void;
}

/** An https address in front of the fault server, with a certificate that the program trusts and one that it does not. */
export async function tlsWay(faults: FaultServer): Promise<TlsWay> {
  const trusted = selfSigned('trusted');
  const good = createSecureContext(trusted);
  const bad = createSecureContext(selfSigned('a stranger'));
  const folder = await mkdtemp(join(tmpdir(), 'academy-reliability-'));
  const certificates = join(folder, 'trusted.pem');
  await writeFile(certificates, trusted.cert);
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
    environment: { NODE_EXTRA_CA_CERTS: certificates },
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
