import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { commonHeaders, sendError } from '../../protocol/http-response.ts';
import { isLoopback, isLoopbackHost } from '../../shared/loopback.ts';
import type { Prometheus } from './prometheus.ts';
import { sha256 } from './sha256.ts';

/** Headers that proxies add. A proxy that adds none of them and keeps Host cannot be recognised. */
const ofProxies = /^(forwarded|via|x-real-ip|x-forwarded-.+)$/;

/** Whether the caller is on this machine and connects directly. Behind a proxy every caller seems to be on this machine. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  if (Object.keys(headers).some((name) => ofProxies.test(name))) return false;
  const requested = `http://${headers.host ?? ''}`;
  if (!URL.canParse(requested)) return false;
  const url = new URL(requested);
  const isDirect = isLoopback(url) && Number(url.port || 80) === socket.localPort;
  // On an IPv6 socket an IPv4 address has a prefix.
  return isDirect && isLoopbackHost((socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
}

/** GET /metrics: for callers with its token or, if no token is set, for this machine only. */
export function createMetricsRoute(prometheus: Pick<Prometheus, 'text' | 'contentType'>, token: string | undefined) {
  const expected = token === undefined ? undefined : sha256(`Bearer ${token}`);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '' } = request.headers;
    if (expected !== undefined && !timingSafeEqual(sha256(authorization), expected)) {
      return sendError(response, 401, 'The bearer token of ACADEMY_METRICS_TOKEN is required', {
        'www-authenticate': 'Bearer realm="metrics"',
      });
    }
    if (expected === undefined && !isLocal(request)) {
      return sendError(
        response,
        403,
        'Metrics are available only on this machine. Set ACADEMY_METRICS_TOKEN to allow other callers.',
      );
    }
    const text = await prometheus.text();
    response.writeHead(200, { ...commonHeaders, 'content-type': prometheus.contentType });
    response.end(text);
  };
}
