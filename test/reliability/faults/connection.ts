import type { FaultKind } from '../fault.ts';
import { done, lost, lostOrUnsent, refused } from '../says.ts';

const unreachable = refused('api_unavailable');

/** Faults on the way to the server: no request, or only part of one, arrives. */
export const connectionFaults: readonly FaultKind[] = [
  {
    name: 'refused',
    how: 'nothing listens on the port',
    applied: 'never',
    says: unreachable,
    short: true,
  },
  {
    name: 'DNS fail',
    how: 'a base URL under .invalid, which no resolver knows',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'DNS slow',
    how: 'the resolver of the program answers after the timeout (a preloaded file replaces dns.lookup)',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'connect timeout',
    how: 'a listening socket with a full backlog, so the kernel drops the SYN',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'TLS stall',
    how: 'an https address whose server accepts the connection and never starts the handshake',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'TLS reset',
    how: 'an https address whose server resets the connection at the first byte of the handshake',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'bad cert',
    how: 'an https address with an untrusted self-signed certificate',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'accept+RST',
    how: 'the connection is reset as soon as it is accepted',
    applied: 'never',
    fault: { at: 'connection', act: (socket) => socket.resetAndDestroy() },
    says: lostOrUnsent,
    short: true,
  },
  {
    name: 'accept+FIN',
    how: 'the connection is closed as soon as it is accepted',
    applied: 'never',
    fault: { at: 'connection', act: (socket) => socket.destroy() },
    says: lostOrUnsent,
  },
  {
    name: 'RST after headers',
    how: 'the connection is reset after the head of the request, before anything is done',
    applied: 'never',
    fault: { at: 'head', act: ({ socket }) => socket.resetAndDestroy() },
    says: lost,
  },
  {
    name: 'keep-alive closed under us',
    how: 'a reused connection is closed at its next request; new connections are served',
    applied: 'before',
    fault: { at: 'reused', act: ({ socket }) => socket.destroy() },
    says: done,
    short: true,
  },
];
