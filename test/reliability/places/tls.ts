import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { FaultServer } from '../fault-server.ts';
import type { Way } from '../harness.ts';

// X.509 by hand (RFC 5280, 4.1): Node can sign but not create a certificate, and a key in the repository would be
// one more secret to explain. DER: a tag, a length, the content.

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const hex = (text: string) => Buffer.from(text, 'hex');
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const integer = (value: number) => der(0x02, Buffer.from([value]));
const ecdsaWithSha256 = sequence(der(0x06, hex('2a8648ce3d040302')));
const commonName = der(0x06, hex('550403'));
const subjectAltName = der(0x06, hex('551d11'));
const loopback = Buffer.from([127, 0, 0, 1]);

function name(text: string): Buffer {
  return sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(text)))));
}

/** UTCTime: two digits of the year. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

const dayMs = 86_400_000;

/** A self-signed certificate for 127.0.0.1, valid from yesterday to tomorrow, as PEM. */
function selfSigned(owner: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const validity = sequence(time(new Date(Date.now() - dayMs)), time(new Date(Date.now() + dayMs)));
  const names = sequence(subjectAltName, der(0x04, sequence(der(0x87, loopback))));
  const issuer = name(owner);
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    issuer,
    validity,
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(names)),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = whole
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
    .trimEnd();
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
}

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
