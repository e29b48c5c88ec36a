import type { ServerResponse } from 'node:http';
import { isObject } from '../../shared/json.ts';
import type { Session } from './sessions.ts';
import { createSseStream, type SseStream } from './sse-stream.ts';

export const sessionHeader = 'mcp-session-id';

/** Carries the answer to an initialize, tells of the session, and keeps the version that was agreed. */
export function createInitializeStream(response: ServerResponse, session: Session): SseStream {
  const opened = createSseStream(response, { [sessionHeader]: session.id });
  return {
    ...opened,
    end: (answer) => {
      const result = answer !== undefined && 'result' in answer ? answer.result : undefined;
      if (isObject(result)) session.version = String(result.protocolVersion);
      opened.end(answer);
    },
  };
}
