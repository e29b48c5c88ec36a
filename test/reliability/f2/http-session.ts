import { createCaller } from '../http/caller.ts';
import { startHttpProgram } from '../http-program.ts';
import { type Reply, replySchema, type Session } from './session.ts';

/** A body of more than a mebibyte is refused before it is read. It counts as a refused input. */
function tooLong(id: number): Reply {
  const text = 'invalid_input: the body is longer than 1048576 bytes.';
  return { id, result: { content: [{ type: 'text', text }], isError: true } };
}

/** The built program over HTTP, in a session, with plain messages. */
export async function openHttpSession(url: string, apiKey: string): Promise<Session> {
  const environment = {
    ACADEMY_BASE_URL: url,
    ACADEMY_API_KEY: apiKey,
    ACADEMY_RATE_LIMIT: 'off',
    LOG_LEVEL: 'silent',
  };
  const program = await startHttpProgram({ environment });
  const caller = createCaller(program.url, 1);
  const session = await caller.open();
  let last = 0;

  async function request(method: string, params: unknown, longest: number): Promise<Reply | undefined> {
    last += 1;
    const message = { jsonrpc: '2.0', id: last, method, params };
    const answer = await caller.send(message, session, AbortSignal.timeout(longest)).catch((error: unknown) => {
      if (error instanceof DOMException) return undefined;
      throw error;
    });
    if (answer?.status === 413) return tooLong(last);
    return answer === undefined ? undefined : replySchema.parse(answer.message);
  }

  return {
    request,
    close: async () => {
      await caller.close();
      await program.close();
    },
  };
}
