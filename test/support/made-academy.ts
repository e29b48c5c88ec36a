import { type AnyOperation, operations } from '../../src/contract/index.ts';
import { isObject } from '../../src/shared/json.ts';
import { madeBody, type TextAt } from './made-answers.ts';
import { type Recorded, startRecorder } from './recorder.ts';

/** The answers of the academy from now on. */
export interface Speech {
  status?: number;
  headers?: Record<string, string>;
  /** The body of the answer to an operation. */
  body: (operation: AnyOperation) => unknown;
}

export type MadeAcademy = Awaited<ReturnType<typeof startMadeAcademy>>;

/** Answers in the shape of the contract, with these texts in all their strings. */
export const saying = (textAt: TextAt): Speech => ({ body: ({ response }) => madeBody(response, textAt) });

const routes = operations.map((operation) => {
  const pattern = new RegExp(`^${operation.path.replaceAll(/:\w+/g, '[^/]+')}$`);
  return { operation, pattern, variables: operation.path.split(':').length };
});
// "/courses/roles" is not the course "roles".
routes.sort((one, other) => one.variables - other.variables);

function operationOf({ method, path }: Recorded): AnyOperation {
  const route = routes.find(({ operation, pattern }) => operation.method === method && pattern.test(path));
  if (route === undefined) throw new Error(`no operation is ${method} ${path}`);
  return route.operation;
}

/** The record with the id or the email that was asked for: one of somebody else is refused, whatever its texts are. */
function asAsked(made: unknown, { path, query, body }: Recorded): unknown {
  if (!isObject(made)) return made;
  const sent = { ...Object(body), ...Object.fromEntries(query) };
  const email: unknown = sent.user_email ?? sent.email;
  const [, id] = /\/(?:courses|bundles|digital_products|orders)\/([^/]+)$/.exec(path) ?? [];
  const [, either] = /\/(?:channels|products\/[^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (either !== undefined) {
    const key = /^\d+$/.test(either) ? 'id' : 'slug';
    const named = (record: object) => ({ ...record, [key]: Number(either) || decodeURIComponent(either) });
    return isObject(made.product) ? { ...made, product: named(made.product) } : named(made);
  }
  const [, course] = /\/courses\/(\d+)\/lessons$/.exec(path) ?? [];
  return {
    ...made,
    ...(email !== undefined && 'email' in made ? { email } : {}),
    ...(id !== undefined && 'id' in made ? { id: Number(id) || decodeURIComponent(id) } : {}),
    ...(course !== undefined && isObject(made.course) ? { course: { ...made.course, id: Number(course) } } : {}),
  };
}

/** A server with scripted answers instead of an academy. */
export async function startMadeAcademy() {
  let speech: Speech = { body: () => ({}) };
  let requests: AnyOperation[] = [];
  const { url } = await startRecorder((request) => {
    const operation = operationOf(request);
    requests.push(operation);
    return { ...speech, body: asAsked(speech.body(operation), request) };
  });
  return {
    url,
    say: (next: Speech) => {
      speech = next;
    },
    /** The requested operations since the last call. */
    takeRequests: () => {
      const since = requests;
      requests = [];
      return since;
    },
  };
}
