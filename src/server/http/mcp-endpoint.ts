import type { IncomingMessage } from 'node:http';
import type { AcceptedRequest, Era, EraLoader } from '../../protocol/http-request.ts';
import { sendError } from '../../protocol/http-response.ts';
import { hasModernVersion, isModernVersion } from '../../protocol/protocol-version.ts';
import { rpcCodes } from '../../shared/errors.ts';
import { retrySoonSeconds } from './caller-limits.ts';
import { createExportTurns, exportsAskedIn } from './export-turns.ts';
import { discard, readJson } from './read-body.ts';
import { describeMessages, type RequestFacts } from './request-facts.ts';

interface EndpointOptions {
  legacy: EraLoader;
  modern: EraLoader;
  /** Names of the tools that the log may show. */
  tools: ReadonlySet<string>;
}

function once(load: EraLoader) {
  let loaded: Promise<Era> | undefined;
  return {
    get: () => (loaded ??= load()),
    close: async () => (await loaded)?.close(),
  };
}

function isBatchTooLarge(body: unknown): boolean {
  return Array.isArray(body) && (body.length === 0 || body.length > maxBatchSize);
}

/** Messages. Only version 2025-03-26 has batches. */
const maxBatchSize = 20;

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Serves both eras at one path: the version that a request names decides which era answers it. */
export function createEndpoint(options: EndpointOptions) {
  const legacy = once(options.legacy);
  const modern = once(options.modern);
  const exportTurns = createExportTurns();

  async function serve(accepted: AcceptedRequest, facts: RequestFacts): Promise<void> {
    const { request, response } = accepted;
    const isNamed = isModernVersion(headerOf(request, 'mcp-protocol-version'));
    if (request.method !== 'POST') {
      const era = isNamed ? modern : legacy;
      return await (await era.get()).serve({ ...accepted, body: undefined });
    }
    const read = await readJson(request, accepted.addBytes);
    if ('problem' in read) {
      await discard(request);
      // Part of the body may be unread, so the connection cannot be reused.
      const headers = {
        connection: 'close',
        ...(read.status === 429 ? { 'retry-after': String(retrySoonSeconds) } : {}),
      };
      const code = read.status === 400 ? rpcCodes.parse : rpcCodes.server;
      return sendError(response, read.status, read.problem, headers, code);
    }
    Object.assign(facts, describeMessages(read.value, options.tools));
    if (isBatchTooLarge(read.value)) {
      const message = `A batch must have 1 to ${maxBatchSize} messages`;
      return sendError(response, 400, message, {}, rpcCodes.invalidRequest);
    }
    // The first message is counted already.
    if (Array.isArray(read.value) && !(await accepted.addRequests(read.value.length - 1))) return;
    const exports = exportsAskedIn(read.value);
    if (exports > 1) {
      return sendError(response, 400, 'A batch may read one export', {}, rpcCodes.invalidRequest);
    }
    if (exports > 0 && !(await exportTurns.enter(accepted.principal.caller, response))) return;
    const era = isNamed || hasModernVersion(read.value) ? modern : legacy;
    await (await era.get()).serve({ ...accepted, body: read.value });
  }

  return { serve, close: async () => void (await Promise.all([legacy.close(), modern.close()])) };
}
