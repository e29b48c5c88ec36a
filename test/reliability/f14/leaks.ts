import type { Socket } from 'node:net';
import type { Act, Exchange } from '../fault.ts';
import { answerBytes } from '../raw-http.ts';
import { personal } from './canaries.ts';

/** An API failure that reveals too much: the received key, and data of students. */
export interface Leak {
  readonly name: string;
  /** Undefined: nothing fails. */
  readonly fault?: Act;
  /** After it, the program checks for its writes for 15 s: the short form leaves those writes out. */
  readonly slow?: boolean;
}

const keyIn = ({ request }: Exchange) => request.headers.get('authorization')?.replace('Bearer ', '') ?? '';

const stack = 'at Key.check (/srv/api/key.rb:12)';
const sentence = (exchange: Exchange) =>
  `${keyIn(exchange)} is refused to ${personal.name} <${personal.email}> for "${personal.text}"`;

function write(socket: Socket, status: number, type: string, body: string, headers: Record<string, string> = {}): void {
  socket.write(answerBytes({ status, headers: { 'content-type': type, ...headers }, body: Buffer.from(body) }));
}

/** An error that repeats the key in every field of its body that the program reads. */
const telling = (status: number, headers: Record<string, string> = {}): Act => ({
  at: 'body',
  act: (exchange) => {
    const words = sentence(exchange);
    const error = {
      error: words,
      errors: [{ code: keyIn(exchange), message: words }],
      supported_fields: [keyIn(exchange)],
    };
    write(
      exchange.socket,
      status,
      'application/json',
      JSON.stringify({ ...error, request_id: keyIn(exchange), stack }),
      headers,
    );
  },
});

const html: Act = {
  at: 'body',
  act: (exchange) =>
    write(exchange.socket, 200, 'text/html', `<title>Error</title><pre>${sentence(exchange)} ${stack}</pre>`),
};

const cut: Act = { at: 'body', act: ({ socket }) => socket.destroy() };

/** The true answer, with a truncated body. */
const half: Act = {
  at: 'body',
  act: async ({ socket, work }) => {
    const bytes = answerBytes(await work());
    socket.end(bytes.subarray(0, bytes.length - 8));
  },
};

export const leaks: readonly Leak[] = [
  { name: 'no fault' },
  { name: '401', fault: telling(401) },
  { name: '403', fault: telling(403) },
  { name: '404', fault: telling(404) },
  { name: '422', fault: telling(422) },
  { name: '429', fault: telling(429, { 'retry-after': '1' }), slow: true },
  { name: '500', fault: telling(500), slow: true },
  { name: 'cut', fault: cut, slow: true },
  { name: 'half a body', fault: half },
  { name: 'HTML', fault: html },
];
