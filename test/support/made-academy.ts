import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AnyOperation, operations } from '../../src/contract/index.ts';
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
  close(): void;
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

/** A server with scripted answers instead of an academy. */
export async function startMadeAcademy(): Promise<MadeAcademy> {
  let { body, status, headers }: Speech = { body: () => ({}) };
  let requests: AnyOperation[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.resume().once('end', () => {
      response.writeHead(status ?? 200, { 'content-type': 'application/json; charset=utf-8', ...headers });
      const operation = operationOf(request);
      requests.push(operation);
      response.end(JSON.stringify(body(operation)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    say: (speech) => {
      ({ body, status, headers } = speech);
    },
    takeRequests: () => {
      const since = requests;
      requests = [];
      return since;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
