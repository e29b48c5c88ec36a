import type { ServerResponse } from 'node:http';
import { isObject } from '../../shared/json.ts';
import type { Session } from './sessions.ts';
import { createSseStream, type SseStream } from './sse-stream.ts';

export const sessionHeader = 'mcp-session-id';

/** Carries the answer to initialize with the session id, and stores the negotiated version in the session. */
export function createInitializeStream(response: ServerResponse, session: Session): SseStream {
  const stream = createSseStream(response, { [sessionHeader]: session.id });
  return {
    ...stream,
    end: (answer) => {
      const result = answer !== undefined && 'result' in answer ? answer.result : undefined;
      if (isObject(result)) session.version = String(result.protocolVersion);
      stream.end(answer);
    },
  };
}
