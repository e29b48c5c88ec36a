import type { WireCase } from './case.ts';

export const accountBody = {
  account: {
    subdomain: 'northern-keys',
    app_name: 'Northern Keys',
    custom_domain: 'learn.northernkeys.example',
    currency: 'EUR',
    locale: 'fi',
    subscription_plan: 'academy_yearly',
    card_processor_connected: true,
    wallet_processor_connected: false,
    enrollment_open: true,
    member_list_enabled: false,
    points_enabled: true,
    community_enabled: true,
  },
  capabilities: { admin_api: true, read_courses: true, manage_lessons: true, webhooks: false },
  webhook_events: [
    'new_student',
    'new_order',
    'course_completed',
    'student_completed',
    'new_answer',
    'new_project_post',
  ],
};

export const courseBody = {
  id: 4711,
  title: 'Piano for beginners',
  description: 'Forty short lessons.',
  slug: 'piano-for-beginners',
  sold_separately: true,
  price: '149.50',
  is_published: true,
  is_challenge: false,
  cover_image_url: 'https://cdn.example/cover.jpg',
  cover_image_thumbnail_url: 'https://cdn.example/thumb.jpg',
  stock_photo_image_url: 'https://cdn.example/stock.jpg',
  lesson_count: 1234,
};

export const completionBody = {
  id: 90125,
  name: 'Ann Lee',
  email: 'ann+piano@example.com',
  created_at: '2024-03-05T10:20:30Z',
  enrolled: true,
  admin: false,
  is_active: true,
  sign_in_count: 1717,
  points: 2323,
  completion_percent: 37,
  course_completion_percent: 83,
};

export const structureBody = {
  course: { id: 4711, title: 'Piano for beginners', is_challenge: false },
  modules: [
    {
      id: 501,
      title: 'First steps',
      sequence: 1,
      is_published: true,
      lessons: [
        { id: 6001, title: 'Posture', sequence: 1, is_published: true, lesson_type: 'Text' },
        { id: 6002, title: 'Middle C', sequence: 2, is_published: false, lesson_type: 'Text' },
      ],
    },
    { id: 502, title: 'Chords', sequence: 2, is_published: false, lessons: [] },
  ],
  ungrouped_lessons: [{ id: 6009, title: 'Farewell', sequence: 1, is_published: true, lesson_type: 'Text' }],
};

export const courseCases: readonly WireCase[] = [
  {
    endpoint: 'GET /api/v1/account',
    when: 'always',
    tool: 'get_account',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/account' },
    answers: { body: accountBody },
    tells: ['northern-keys', 'Northern Keys', 'learn.northernkeys.example', 'EUR', 'academy_yearly', 'manage_lessons'],
  },
  {
    endpoint: 'GET /api/v1/account',
    when: 'for the event names',
    tool: 'get_account',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/account' },
    answers: { body: accountBody },
    tells: accountBody.webhook_events,
  },
  {
    endpoint: 'GET /api/v1/courses',
    when: 'always',
    tool: 'list_courses',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/courses' },
    answers: {
      body: {
        courses: [
          { id: 4711, title: 'Piano for beginners', sold_separately: true, price: '149.50' },
          { id: 4712, title: 'Jazz harmony', sold_separately: false, price: '0.0' },
        ],
      },
    },
    tells: [4711, 'Piano for beginners', '149.50', 4712, 'Jazz harmony'],
  },
  {
    endpoint: 'GET /api/v1/courses/:id',
    when: 'by its id',
    tool: 'get_course',
    arguments: { course_id: 4711 },
    sends: { method: 'GET', path: '/api/v1/courses/4711' },
    answers: { body: courseBody },
    tells: [4711, 'Piano for beginners', 'Forty short lessons.', 'piano-for-beginners', '149.50', 1234],
  },
  {
    endpoint: 'GET /api/v1/courses/:id',
    when: 'with the id written as text',
    tool: 'get_course',
    arguments: { course_id: '4711' },
    sends: { method: 'GET', path: '/api/v1/courses/4711' },
    answers: { body: courseBody },
    tells: [4711],
  },
  {
    endpoint: 'GET /api/v1/courses/roles',
    when: 'always',
    tool: 'list_roles',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/courses/roles' },
    answers: {
      body: {
        roles: [
          { id: 31, name: 'Coach' },
          { id: 32, name: 'Moderator' },
        ],
      },
    },
    tells: [31, 'Coach', 32, 'Moderator'],
  },
  {
    endpoint: 'POST /api/v1/courses/:id/completion-percentage',
    when: 'for an email with a plus sign',
    tool: 'get_course_completion',
    arguments: { course_id: 4711, user_email: 'ann+piano@example.com' },
    sends: {
      method: 'POST',
      path: '/api/v1/courses/4711/completion-percentage',
      body: { user_email: 'ann+piano@example.com' },
    },
    answers: { body: completionBody },
    tells: ['ann+piano@example.com', 'Ann Lee', 37, 83],
  },
  {
    endpoint: 'GET /api/v1/courses/:course_id/lessons',
    when: 'by the id of the course',
    tool: 'get_course_structure',
    arguments: { course_id: 4711 },
    sends: { method: 'GET', path: '/api/v1/courses/4711/lessons' },
    answers: { body: structureBody },
    tells: [4711, 'Piano for beginners', 501, 'First steps', 6001, 'Posture', 6002, 'Middle C', 502, 'Chords', 6009],
  },
];
