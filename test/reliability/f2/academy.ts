import { structureOf } from '../../../src/insights/outline/course.ts';
import { versionOf } from '../../../src/insights/outline/course-version.ts';
import { startRecorder } from '../../support/recorder.ts';

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

function answerTo(method: string, path: string): unknown {
  const below = path.replace(/^\/api\/v1/, '');
  const key = method !== 'GET' ? undefined : below.endsWith('/posts') ? 'posts' : lists[below];
  if (method === 'GET' && below.endsWith('/lessons')) return structure;
  return key === undefined ? recordAt(below) : { [key]: [] };
}

/** An academy that holds nothing but the record that was asked for, and notes every request. */
export async function startListener() {
  const { url, requests } = await startRecorder(({ method, path }) => ({ body: answerTo(method, path) }));
  return { url, heard: () => requests.splice(0).map(({ method, path }) => `${method} ${path}`) };
}
