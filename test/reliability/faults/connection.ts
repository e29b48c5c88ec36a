import type { FaultKind } from '../fault.ts';
import { done, lost, lostOrUnsent, refused } from '../says.ts';

const unreachable = refused('api_unavailable');

/** Faults on the way to the server: no request, or not the whole of one, gets there. */
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
    how: 'a base URL under .invalid, a name that no resolver knows',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'DNS slow',
    how: 'the resolver of the program answers after the time-out (dns.lookup is replaced by a preloaded file)',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'connect timeout',
    how: 'a listening socket whose backlog is full, so that the kernel drops the SYN',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'TLS stall',
    how: 'an https address whose server accepts and never says hello',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'TLS reset',
    how: 'an https address whose server resets at the first byte of the handshake',
    applied: 'never',
    says: unreachable,
  },
  {
    name: 'bad cert',
    how: 'an https address with a self-signed certificate that nobody trusts',
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
    how: 'reset when the head of the request has come, before anything is done',
    applied: 'never',
    fault: { at: 'head', act: ({ socket }) => socket.resetAndDestroy() },
    says: lost,
  },
  {
    name: 'keep-alive closed under us',
    how: 'a connection that has been used before is closed at its next request; new ones are served',
    applied: 'before',
    fault: { at: 'reused', act: ({ socket }) => socket.destroy() },
    says: done,
    short: true,
  },
];
