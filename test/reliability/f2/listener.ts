import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { structureOf } from '../../../src/insights/outline/course.ts';
import { versionOf } from '../../../src/insights/outline/course-version.ts';

/** Lists below /api/v1, with the key of each; everything else is answered as a record. */
const lists: Readonly<Record<string, string>> = {
  '/courses': 'courses',
  '/courses/roles': 'roles',
  '/bundles': 'bundles',
  '/digital_products': 'digital_products',
  '/products': 'products',
  '/community/channels': 'channels',
  '/community/groups': 'groups',
  '/orders': 'orders',
  '/students': 'students',
  '/students/completions': 'students',
  '/students/answers': 'answers',
  '/students/project-posts': 'project_posts',
};

export const lessonIds = Array.from({ length: 20 }, (_, index) => index + 1);
const lessons = lessonIds.map((id) => ({ id, title: `Lesson ${id}`, sequence: id, is_published: true }));
// The module in valid arguments.
const structure = { modules: [{ id: 3, title: 'Module', lessons }], ungrouped_lessons: [] };

/** The course that every plan is based on. */
export const courseVersion = versionOf(structureOf(structure));

function recordAt(below: string) {
  const [, id = '1'] = /\/([1-9]\d{0,14})$/.exec(below) ?? [];
  return { id: Number(id), success: true };
}

function answerTo(method: string, path: string): string {
  const below = path.replace(/^\/api\/v1/, '');
  const key = method !== 'GET' ? undefined : below.endsWith('/posts') ? 'posts' : lists[below];
  if (method === 'GET' && below.endsWith('/lessons')) return JSON.stringify(structure);
  return JSON.stringify(key === undefined ? recordAt(below) : { [key]: [] });
}

export interface Listener {
  readonly url: string;
  /** Requests since the last call, as "GET /path", without the query. */
  heard(): string[];
  close(): Promise<void>;
}

/** An academy that accepts everything, lists only the lessons of a course, and records the requests. */
export async function startListener(): Promise<Listener> {
  let requests: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const [path = ''] = url.split('?', 1);
    requests.push(`${method} ${path}`);
    incoming.resume();
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(answerTo(method, path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    heard: () => {
      const heard = requests;
      requests = [];
      return heard;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
