import type { Socket } from 'node:net';
import type { Done, Received } from './fault.ts';

const endOfHead = Buffer.from('\r\n\r\n');

function reader(socket: Socket) {
  let held = Buffer.alloc(0);
  let over = false;
  let wake = () => {};
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    wake();
  });
  for (const event of ['end', 'close']) {
    socket.on(event, () => {
      over = true;
      wake();
    });
  }

  async function until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (over) throw new Error('the connection ended within a request');
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  function take(length: number): Buffer {
    const taken = held.subarray(0, length);
    held = held.subarray(length);
    return taken;
  }

  return {
    head: () =>
      until(() => {
        const end = held.indexOf(endOfHead);
        if (end < 0) return undefined;
        const head = take(end).toString('latin1');
        take(endOfHead.length);
        return head;
      }),
    bytes: (length: number) => until(() => (held.length < length ? undefined : take(length))),
    /** False if the other side has ended and no bytes are left. */
    more: () => until(() => (held.length > 0 ? true : over ? false : undefined)),
  };
}

function parseHead(head: string, reused: boolean): Received {
  const [first = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { method, path, headers: new Map(headers), body: Buffer.alloc(0), reused };
}

/** Reads the requests of one connection, one after the other. The client frames bodies by Content-Length. */
export async function* requestsFrom(socket: Socket) {
  const bytes = reader(socket);
  for (let reused = false; await bytes.more(); reused = true) {
    const head = parseHead(await bytes.head(), reused);
    const length = Number(head.headers.get('content-length') ?? 0);
    const whole = async (): Promise<Received> => ({ ...head, body: await bytes.bytes(length) });
    yield { head, whole };
  }
}

/** An answer as a healthy server writes it, or with `fake` headers instead of the true ones. */
export function answerBytes({ status, headers, body }: Done, fake: Record<string, string> = {}): Buffer {
  const all = { ...headers, 'content-length': String(body.length), ...fake };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`, 'latin1'), body]);
}
