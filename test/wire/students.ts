import { completionBody } from './account-and-courses.ts';
import type { WireCase } from './case.ts';
import { orderBody } from './orders.ts';

const { course_completion_percent: _percent, ...attributes } = completionBody;
export const studentBody = {
  ...attributes,
  location: 'Oulu',
  facebook_link: null,
  twitter_link: null,
};

export const studentsBody = { students: [studentBody], meta: { total_pages: 21, total_students: 1033 } };

export const detailsBody = {
  ...studentBody,
  paying_student: true,
  total_completion: 37,
  lesson_views_count: 551,
  lesson_completions_count: 443,
  paid_orders: [orderBody],
  enrolled_courses: [{ id: 4711, title: 'Piano for beginners' }],
};

export const studentCases: readonly WireCase[] = [
  {
    endpoint: 'GET /api/v1/students',
    when: 'on its third page',
    tool: 'list_students',
    arguments: { page: 3 },
    sends: { method: 'GET', path: '/api/v1/students', query: 'page=3' },
    answers: { body: studentsBody },
    tells: [90125, 'Ann Lee', 'ann+piano@example.com', 37, 1033, 21],
  },
  {
    endpoint: 'GET /api/v1/students/details',
    when: 'for an email with a plus sign',
    tool: 'get_student_details',
    arguments: { email: 'ann+piano@example.com' },
    sends: { method: 'GET', path: '/api/v1/students/details', query: 'email=ann%2Bpiano%40example.com' },
    answers: { body: detailsBody },
    tells: [90125, 'Ann Lee', 'ann+piano@example.com', 551, 443, 'ord_7GkQ2xW', '149.50', 'Piano for beginners'],
  },
  {
    endpoint: 'GET /api/v1/students/completions',
    when: 'always',
    tool: 'list_completed_students',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/students/completions' },
    answers: { body: { students: [{ ...studentBody, total_completion: 104 }] } },
    tells: [90125, 'Ann Lee', 'ann+piano@example.com'],
  },
  {
    endpoint: 'GET /api/v1/students/answers',
    when: 'always',
    tool: 'list_assignment_answers',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/students/answers' },
    answers: {
      body: {
        answers: [
          {
            id: 70707,
            name: 'Ann Lee',
            email: 'ann+piano@example.com',
            answer: 'A minor third has three semitones.',
            question: 'What is a minor third?',
            lesson: 'Intervals',
          },
        ],
      },
    },
    tells: ['Ann Lee', 'A minor third has three semitones.', 'What is a minor third?', 'Intervals'],
  },
  {
    endpoint: 'GET /api/v1/students/project-posts',
    when: 'always',
    tool: 'list_project_posts',
    arguments: {},
    sends: { method: 'GET', path: '/api/v1/students/project-posts' },
    answers: {
      body: {
        project_posts: [
          { id: 80808, name: 'Bo Ek', email: 'bo@example.com', post: 'My recital', content: 'Recorded.' },
        ],
      },
    },
    tells: ['Bo Ek', 'My recital'],
  },
];
