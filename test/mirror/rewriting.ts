import { createServer } from 'node:http';
import { type Row, row } from '../support/academy.ts';
import { listen } from '../support/recorder.ts';

type Rewrite = (record: Row) => Row;

/** A platform that differs from the document as a whole. Gets and returns paths with their query. */
interface Odd {
  /** What is asked for in place of a path. */
  readonly asks?: (path: string) => string;
  /** What is answered in place of a body. */
  readonly answers?: (body: Row, path: string) => Row;
}

/**
 * A proxy before an academy that rewrites each record of a list in its answers, by the key of the list. Returns its address.
 * `refuses` receives the path of each request, and may return a status to refuse it with. The body of a request is lost.
 */
export async function startRewriting(
  target: string,
  rewrites: Readonly<Record<string, Rewrite>>,
  refuses: (path: string) => unknown = () => undefined,
  { asks = (path) => path, answers = (body) => body }: Odd = {},
): Promise<string> {
  function rewritten(body: unknown): Row {
    const lists = Object.entries(row(body)).map(([key, value]) => {
      const rewrite = rewrites[key];
      return [key, rewrite !== undefined && Array.isArray(value) ? value.map(rewrite) : value];
    });
    return Object.fromEntries(lists);
  }

  const server = createServer(async ({ method, url = '', headers: { authorization = '' } }, outgoing) => {
    const refusal = refuses(url);
    if (typeof refusal === 'number') {
      outgoing.writeHead(refusal, { 'content-type': 'application/json', 'x-api-version': 'v1' }).end('{}');
      return;
    }
    // The academy of a test that has ended is gone, as its client is.
    const answer = await fetch(target + asks(url), { method: method ?? 'GET', headers: { authorization } }).catch(
      () => undefined,
    );
    if (answer === undefined) return void outgoing.destroy();
    const body = JSON.stringify(answers(rewritten(await answer.json()), url));
    outgoing.writeHead(answer.status, { 'content-type': 'application/json', 'x-api-version': 'v1' }).end(body);
  });
  return await listen(server);
}
