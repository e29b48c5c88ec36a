import type { Arrangement } from '../../academy.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';
import { also, does, says } from '../../wrong.ts';

/** The colleague renames a lesson and hides another, after the course was read once or before the first write. */
export const world: Arrangement = {
  others: {
    when: ([method, path], earlier) => method !== 'GET' || (path.endsWith('/courses/8/lessons') && earlier > 0),
    writes: [
      ['PATCH', '/api/v1/lessons/1165', { title: 'Baking in a pot, step by step' }],
      ['PATCH', '/api/v1/lessons/1164', { is_published: false }],
    ],
  },
};

export const check: Check = {
  writes: (academy) => {
    const { module_id } = lesson(academy, 'Waiting');
    const order = ['Timetable for working people', 'What flour does', 'Mixing by hand', 'Waiting', 'Baking in a pot'];
    return order.map((title, sequence) => editLesson(lesson(academy, title).id, { module_id, sequence }));
  },
  says: () => [],
  reads: () => [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'],
};

export const oracle: Oracle = async ({ call }) => {
  const moves = [{ lesson_id: 1179, module_id: 236, position: 1 }];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const plan = await call('plan_course_outline', { course_id: 8, moves });
    const base = { base_version: plan.get('base_version'), confirm: true };
    if ((await call('apply_course_outline', { course_id: 8, moves, ...base })).code === 'ok') return 'It is the first.';
  }
  return 'The course changed each time.';
};

const done = 'It is the first.';

export const saboteurs: Saboteurs = {
  state: {
    'claims it': says(done),
    'writes the old title back': also('update_lesson', { lesson_id: 1165, title: 'Baking in a pot' }),
    'publishes what the colleague hid': also('update_lesson', { lesson_id: 1164, is_published: true }),
    'gives it a place that another has': does(done, [
      'update_lesson',
      { lesson_id: 1179, module_id: 236, sequence: 1 },
    ]),
  },
};
