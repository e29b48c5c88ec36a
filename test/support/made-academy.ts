import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type AnyOperation, operations } from '../../src/contract/index.ts';
import { isObject } from '../../src/shared/json.ts';
import { listen } from './listen.ts';
import { madeBody, type TextAt } from './made-answers.ts';

/** The answers of the academy from now on. */
export interface Speech {
  status?: number;
  headers?: Record<string, string>;
  /** The body of the answer to an operation. */
  body: (operation: AnyOperation) => unknown;
}

export interface MadeAcademy {
  readonly url: string;
  say(speech: Speech): void;
  /** The requested operations since the last call. */
  takeRequests(): AnyOperation[];
  close(): Promise<void>;
}

/** Answers in the shape of the contract, with these texts in all their strings. */
export const saying = (textAt: TextAt): Speech => ({ body: ({ response }) => madeBody(response, textAt) });

const routes = operations.map((operation) => {
  const pattern = new RegExp(`^${operation.path.replaceAll(/:\w+/g, '[^/]+')}$`);
  return { operation, pattern, variables: operation.path.split(':').length };
});
// "/courses/roles" is not the course "roles".
routes.sort((one, other) => one.variables - other.variables);

function operationOf({ method, url = '' }: IncomingMessage): AnyOperation {
  const [path = ''] = url.split('?');
  const route = routes.find(({ operation, pattern }) => operation.method === method && pattern.test(path));
  if (route === undefined) throw new Error(`no operation is ${method} ${path}`);
  return route.operation;
}

/** The record with the id or the email that was asked for: one of somebody else is refused, whatever its texts are. */
function asAsked(made: unknown, { url = '' }: IncomingMessage, sent: string): unknown {
  if (!isObject(made)) return made;
  const { pathname } = new URL(url, 'http://127.0.0.1');
  const [, inUrl] = /[?&](?:user_)?email=([^&]+)/.exec(url) ?? [];
  const [, inBody = 'null'] = /"(?:user_)?email":("(?:[^"\\]|\\.)*")/.exec(sent) ?? [];
  const email: unknown = inUrl === undefined ? JSON.parse(inBody) : decodeURIComponent(inUrl.replaceAll('+', ' '));
  const id = /\/(?:courses|bundles|digital_products|orders)\/([^/]+)$/.exec(pathname)?.[1];
  const either = /\/(?:channels|products\/[^/]+)\/([^/]+)$/.exec(pathname)?.[1];
  if (either !== undefined) {
    const named = (record: object) => ({
      ...record,
      [/^\d+$/.test(either) ? 'id' : 'slug']: Number(either) || decodeURIComponent(either),
    });
    return isObject(made.product) ? { ...made, product: named(made.product) } : named(made);
  }
  const course = /\/courses\/(\d+)\/lessons$/.exec(pathname)?.[1];
  return {
    ...made,
    ...(email !== null && 'email' in made ? { email } : {}),
    ...(id !== undefined && 'id' in made ? { id: Number(id) || decodeURIComponent(id) } : {}),
    ...(course !== undefined && isObject(made.course) ? { course: { ...made.course, id: Number(course) } } : {}),
  };
}

/** A server with scripted answers instead of an academy. */
export async function startMadeAcademy(): Promise<MadeAcademy> {
  let { body, status, headers }: Speech = { body: () => ({}) };
  let requests: AnyOperation[] = [];
  const { url, close } = await listen(async (request, response) => {
    const sent = await text(request);
    response.writeHead(status ?? 200, { 'content-type': 'application/json; charset=utf-8', ...headers });
    const operation = operationOf(request);
    requests.push(operation);
    response.end(JSON.stringify(asAsked(body(operation), request, sent)));
  });
  return {
    url,
    say: (speech) => {
      ({ body, status, headers } = speech);
    },
    takeRequests: () => {
      const since = requests;
      requests = [];
      return since;
    },
    close,
  };
}
