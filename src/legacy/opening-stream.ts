import type { ServerResponse } from 'node:http';
import { isObject } from '../api/tolerate.ts';
import { createReplyStream, type ReplyStream } from './reply-stream.ts';
import type { Session } from './sessions.ts';

export const sessionHeader = 'mcp-session-id';

/** The version in the answer to an initialize; undefined where it failed. */
function agreedIn(answer: object = {}): string | undefined {
  const result = 'result' in answer ? answer.result : undefined;
  const version = isObject(result) ? result.protocolVersion : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** Carries the answer to an initialize. Where that failed, the client does not hear of the session, and `end` ends it. */
export function createOpeningStream(response: ServerResponse, session: Session, end: () => void): ReplyStream {
  const opened = createReplyStream(response, { [sessionHeader]: session.id });
  return {
    ...opened,
    end: (answer) => {
      const version = agreedIn(answer);
      if (version !== undefined) {
        session.version = version;
        return opened.end(answer);
      }
      end();
      createReplyStream(response).end(answer);
    },
  };
}
