import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerError } from './answer.ts';
import type { Prometheus } from './prometheus.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Whether the caller sits on this machine. Behind a proxy everybody seems to, so a forwarded request does not count. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return !isForwarded && /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
}

/** GET /metrics: for whoever has its token or, where there is none, for this machine. */
export function createMetricsRoute(prometheus: Pick<Prometheus, 'text' | 'contentType'>, token: string | undefined) {
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '' } = request.headers;
    if (expected !== undefined && !timingSafeEqual(digest(authorization), expected)) {
      return answerError(response, 401, 'This needs ACADEMY_METRICS_TOKEN', {
        'www-authenticate': 'Bearer realm="metrics"',
      });
    }
    if (expected === undefined && !isLocal(request)) {
      return answerError(response, 403, 'Metrics are for this machine alone; ACADEMY_METRICS_TOKEN opens them');
    }
    const text = await prometheus.text();
    response.writeHead(200, { 'content-type': prometheus.contentType, 'cache-control': 'no-store' });
    response.end(text);
  };
}
