import type { WireCase } from './case.ts';

const createdLesson = {
  lesson: { id: 6010, title: 'Scales', sequence: 3, is_published: false, lesson_type: 'Text' },
};

const updatedLesson = {
  lesson: { id: 6002, title: 'Middle C, again', sequence: 2, is_published: true, lesson_type: 'Text' },
};

const everyField = {
  title: 'Scales & "arpeggios" – ääni',
  content: '<p>Play <b>slowly</b>.\nThen faster.</p>',
  module_id: 501,
  is_published: false,
  lesson_type: 'Text',
  points: 15,
  sequence: 3,
  learning_objective: 'Even tone',
  video_embed: '<iframe src="https://video.example/1"></iframe>',
  video_url: 'https://video.example/1?a=1&b=2',
  release_day: 7,
  requires_unlock: true,
};

export const lessonCases: readonly WireCase[] = [
  {
    endpoint: 'POST /api/v1/courses/:course_id/lessons',
    when: 'with a title alone',
    tool: 'create_lesson',
    arguments: { course_id: 4711, title: 'Scales' },
    sends: { method: 'POST', path: '/api/v1/courses/4711/lessons', body: { title: 'Scales' } },
    looksUp: ['GET /api/v1/courses/4711/lessons'],
    answers: { status: 201, body: createdLesson },
    tells: [6010, 'Scales'],
  },
  {
    endpoint: 'POST /api/v1/courses/:course_id/lessons',
    when: 'with every field',
    tool: 'create_lesson',
    arguments: { course_id: 4711, ...everyField },
    sends: { method: 'POST', path: '/api/v1/courses/4711/lessons', body: everyField },
    looksUp: ['GET /api/v1/courses/4711/lessons'],
    answers: { status: 201, body: createdLesson },
    tells: [6010],
  },
  {
    endpoint: 'POST /api/v1/courses/:course_id/lessons',
    when: 'with module_id null',
    tool: 'create_lesson',
    arguments: { course_id: 4711, title: 'Scales', module_id: null },
    sends: { method: 'POST', path: '/api/v1/courses/4711/lessons', body: { title: 'Scales', module_id: null } },
    looksUp: ['GET /api/v1/courses/4711/lessons'],
    answers: { status: 201, body: createdLesson },
    tells: [6010],
  },
  {
    endpoint: 'PATCH /api/v1/lessons/:id',
    when: 'with one field',
    tool: 'update_lesson',
    arguments: { lesson_id: 6002, title: 'Middle C, again' },
    sends: { method: 'PATCH', path: '/api/v1/lessons/6002', body: { title: 'Middle C, again' } },
    answers: { body: updatedLesson },
    tells: [6002, 'Middle C, again'],
  },
  {
    endpoint: 'PATCH /api/v1/lessons/:id',
    when: 'with module_id null, which ungroups',
    tool: 'update_lesson',
    arguments: { lesson_id: 6002, module_id: null },
    sends: { method: 'PATCH', path: '/api/v1/lessons/6002', body: { module_id: null } },
    answers: { body: updatedLesson },
    tells: [6002],
  },
  {
    endpoint: 'PATCH /api/v1/lessons/:id',
    when: 'with values that are false, zero and empty',
    tool: 'update_lesson',
    arguments: { lesson_id: 6002, is_published: false, points: 0, content: '' },
    sends: { method: 'PATCH', path: '/api/v1/lessons/6002', body: { is_published: false, points: 0, content: '' } },
    answers: { body: updatedLesson },
    tells: [6002],
  },
  {
    endpoint: 'PATCH /api/v1/lessons/:id',
    when: 'with every field',
    tool: 'update_lesson',
    arguments: { lesson_id: 6002, ...everyField },
    sends: { method: 'PATCH', path: '/api/v1/lessons/6002', body: everyField },
    answers: { body: updatedLesson },
    tells: [6002],
  },
];
