import { type Row, row } from '../support/academy.ts';
import { passOn } from '../support/pass-on.ts';
import { startRecorder } from '../support/recorder.ts';

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

  const { url } = await startRecorder(async ({ method, url: asked, headers }) => {
    const refusal = refuses(asked);
    const own = { 'x-api-version': 'v1' };
    if (typeof refusal === 'number') return { status: refusal, headers: own, body: {} };
    // The academy of a test that has ended is gone, as its client is.
    const done = await passOn(target, { method, path: asks(asked), headers, body: '' }).catch(() => undefined);
    if (done === undefined) return 'cut';
    return { status: done.status, headers: own, body: answers(rewritten(JSON.parse(done.body)), asked) };
  });
  return url;
}
