import { isIP } from 'node:net';

// Kubernetes adds variables for each service of a namespace, in two forms: its own, and that of Docker links. A service
// named academy-http gives ACADEMY_HTTP_SERVICE_HOST=10.0.0.7 and ACADEMY_HTTP_PORT=tcp://10.0.0.7:3000, among others.

const isAddress = (value: string) => isIP(value) !== 0;
const isPort = (value: string) => /^\d{1,5}$/.test(value);
const isUrl = (value: string) => /^(tcp|udp|sctp):\/\//.test(value);
const isProtocol = (value: string) => /^(tcp|udp|sctp)$/.test(value);

/** The ends of the names, and what their values look like. */
const forms: readonly [name: RegExp, isValue: (value: string) => boolean][] = [
  [/_SERVICE_HOST$/, isAddress],
  [/_SERVICE_PORT(_[A-Z0-9_]+)?$/, isPort],
  [/_PORT$/, isUrl],
  [/_PORT_\d+_(TCP|UDP|SCTP)$/, isUrl],
  [/_PORT_\d+_(TCP|UDP|SCTP)_ADDR$/, isAddress],
  [/_PORT_\d+_(TCP|UDP|SCTP)_PORT$/, isPort],
  [/_PORT_\d+_(TCP|UDP|SCTP)_PROTO$/, isProtocol],
];

/** Whether Kubernetes added a variable. Both its name and its value count, so that ACADEMY_HTTP_PORT=3000 is a setting. */
export function isFromKubernetes(name: string, value: string): boolean {
  return forms.some(([end, isValue]) => end.test(name) && isValue(value));
}
