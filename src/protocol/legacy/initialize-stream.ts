import { isObject } from '../../shared/json.ts';
import type { SseStream } from './sse-stream.ts';

export const sessionHeader = 'mcp-session-id';

/** Carries the answer to initialize, and stores the negotiated version in the session. */
export function createInitializeStream(stream: SseStream, session: { version?: string }): SseStream {
  return {
    ...stream,
    end: (answer) => {
      const result = answer !== undefined && 'result' in answer ? answer.result : undefined;
      if (isObject(result)) session.version = String(result.protocolVersion);
      stream.end(answer);
    },
  };
}
