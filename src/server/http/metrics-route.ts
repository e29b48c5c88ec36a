import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { commonHeaders, sendError } from '../../protocol/http-response.ts';
import { isLoopback, isLoopbackHost } from '../../shared/loopback.ts';
import type { Prometheus } from './prometheus.ts';
import { sha256 } from './sha256.ts';

/** Headers by which a proxy shows that it is one. One that adds none of them, and keeps Host, cannot be told apart. */
const ofProxies = /^(forwarded|via|x-real-ip|x-forwarded-.+)$/;

/** Whether the caller sits on this machine and means it. Behind a proxy everybody seems to sit here. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  if (Object.keys(headers).some((name) => ofProxies.test(name))) return false;
  const asked = `http://${headers.host ?? ''}`;
  if (!URL.canParse(asked)) return false;
  const url = new URL(asked);
  const isDirect = isLoopback(url) && Number(url.port || 80) === socket.localPort;
  // On an IPv6 socket an IPv4 address has a prefix.
  return isDirect && isLoopbackHost((socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
}

/** GET /metrics: for whoever has its token or, where there is none, for this machine. */
export function createMetricsRoute(prometheus: Pick<Prometheus, 'text' | 'contentType'>, token: string | undefined) {
  const expected = token === undefined ? undefined : sha256(`Bearer ${token}`);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '' } = request.headers;
    if (expected !== undefined && !timingSafeEqual(sha256(authorization), expected)) {
      return sendError(response, 401, 'This needs ACADEMY_METRICS_TOKEN', {
        'www-authenticate': 'Bearer realm="metrics"',
      });
    }
    if (expected === undefined && !isLocal(request)) {
      return sendError(response, 403, 'Metrics are for this machine alone; ACADEMY_METRICS_TOKEN opens them');
    }
    const text = await prometheus.text();
    response.writeHead(200, { ...commonHeaders, 'content-type': prometheus.contentType });
    response.end(text);
  };
}
