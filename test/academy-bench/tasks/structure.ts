import type { Row } from '../../support/academy.ts';
import type { Oracle, Tasks } from '../task.ts';
import { editLesson, lesson, productNamed } from '../truth.ts';
import { also, claimed, does } from '../wrong.ts';

const into = (lesson_id: number, sequence: number) =>
  ['update_lesson', { lesson_id, module_id: 238, sequence }] as const;
const added = { course_id: 8, module_id: 237, title: 'When the starter smells odd', points: 10, is_published: false };
const title = 'Printing your best picture';

const breadAtHome = [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'];

/** Reads, plans and applies these moves in "Bread at Home". */
const moved =
  (moves: readonly Row[]): Oracle =>
  async ({ call }) => {
    await call('get_course_structure', { course_id: 8 });
    const plan = await call('plan_course_outline', { course_id: 8, moves });
    await call('apply_course_outline', { course_id: 8, moves, base_version: plan.get('base_version'), confirm: true });
    return 'Done.';
  };

export const structure: Tasks = {
  'hide-module': {
    instruction:
      'Take all seven lessons of "Week 4: places" in the challenge "Thirty Days of Drawing" offline for now. They stay where they are.',
    requests: 60,
    writes: (academy) => {
      const { module_id, course_id } = lesson(academy, 'The kitchen');
      return academy.lessons.siblings(course_id, module_id).map(({ id }) => editLesson(id, { is_published: false }));
    },
    reads: () => [productNamed('Thirty Days'), '/api/v1/courses/13/lessons'],
    oracle: async ({ call }) => {
      const modules = (await call('get_course_structure', { course_id: 13 })).rows('modules');
      const week = modules.find(({ title }) => title === 'Week 4: places');
      const lessons = (week?.lessons ?? []) as { id: number }[];
      for (const { id } of lessons) {
        await call('update_lesson', { lesson_id: id, is_published: false });
      }
      return 'Done.';
    },
    saboteurs: {
      state: {
        'claims it': claimed,
        'hides six of seven': does(
          ...[1290, 1291, 1292, 1293, 1294, 1295].map(
            (lesson_id) => ['update_lesson', { lesson_id, is_published: false }] as const,
          ),
        ),
        'hides the whole challenge': also('update_product', {
          product_type: 'challenge',
          id_or_slug: '13',
          is_published: false,
        }),
        'hides a lesson of another week': also('update_lesson', { lesson_id: 1289, is_published: false }),
      },
    },
  },
  'merge-modules': {
    instruction:
      '"Bread at Home": the module "When it fails" should be empty. Move its three lessons to the end of the module "Variations", in the order they have now.',
    requests: 50,
    writes: (academy) => {
      const { module_id } = lesson(academy, 'Rye');
      return ['Too dense', 'Too sour', 'It sticks to everything'].map((title, index) =>
        editLesson(lesson(academy, title).id, { module_id, sequence: 4 + index }),
      );
    },
    reads: () => breadAtHome,
    oracle: moved([1175, 1176, 1177].map((lesson_id, index) => ({ lesson_id, module_id: 238, position: 5 + index }))),
    saboteurs: {
      state: {
        'moves two of three': does(into(1175, 4), into(1176, 5)),
        'turns their order around': does(into(1177, 4), into(1176, 5), into(1175, 6)),
        'takes them out of any module': does(
          ...[1175, 1176, 1177].map((lesson_id) => ['update_lesson', { lesson_id, module_id: null }] as const),
        ),
        'moves one more': also('update_lesson', { lesson_id: 1170, module_id: 238, sequence: 7 }),
      },
    },
  },
  'move-lesson': {
    instruction:
      'In the course "Bread at Home", put the lesson "Flatbread in a pan" into the module "The first loaf", directly after "Mixing by hand". All other lessons stay in their order.',
    requests: 40,
    writes: (academy) => {
      const { module_id } = lesson(academy, 'Mixing by hand');
      const order = ['What flour does', 'Mixing by hand', 'Flatbread in a pan', 'Waiting', 'Baking in a pot'];
      return order.map((title, sequence) => editLesson(lesson(academy, title).id, { module_id, sequence }));
    },
    reads: () => breadAtHome,
    oracle: async (play) => {
      await play.call('search_products', { query: 'Bread at Home' });
      return moved([{ lesson_id: 1174, module_id: 236, position: 3 }])(play);
    },
    saboteurs: {
      state: {
        'changes the module alone, so it is the last': does([
          'update_lesson',
          { lesson_id: 1174, module_id: 236, sequence: 9 },
        ]),
        'only plans': does([
          'plan_course_outline',
          { course_id: 8, moves: [{ lesson_id: 1174, module_id: 236, position: 3 }] },
        ]),
        'renames it on the way': also('update_lesson', { lesson_id: 1174, title: 'Flatbread' }),
        'unpublishes it on the way': also('update_lesson', { lesson_id: 1174, is_published: false }),
      },
    },
  },
  'new-lesson': {
    instruction:
      'Add a lesson "When the starter smells odd" to the module "Sourdough" of "Bread at Home", between "Feeding it" and "Reading the dough". It gives 10 points, has no text yet and must not be visible to students.',
    requests: 40,
    writes: (academy) => {
      const { module_id, course_id } = lesson(academy, 'Feeding it');
      const later = ['Reading the dough', 'Shaping', 'Scoring'];
      const fields = { title: 'When the starter smells odd', module_id, points: 10, is_published: false, sequence: 2 };
      return [
        ...later.map((title, index) => editLesson(lesson(academy, title).id, { sequence: index + 3 })),
        ['POST', `/api/v1/courses/${course_id}/lessons`, fields],
      ];
    },
    reads: () => breadAtHome,
    oracle: async ({ call }) => {
      await call('get_course_structure', { course_id: 8 });
      const place = { course_id: 8, module_id: 237, position: 3 };
      await call('create_lesson', { ...place, title: 'When the starter smells odd', points: 10, is_published: false });
      return 'Done.';
    },
    saboteurs: {
      state: {
        'puts it last': does(['create_lesson', added]),
        'publishes it': does(['create_lesson', { ...added, position: 3, is_published: true }]),
        'gives no points': does(['create_lesson', { ...added, position: 3, points: 0 }]),
        'adds a second one': also('create_lesson', { ...added, title: 'When it smells odd' }),
      },
    },
  },
  'rename-publish': {
    instruction:
      'In "Photography: Light and Lens" the lesson "Printing one picture" is still hidden. Rename it to "Printing your best picture" and publish it.',
    requests: 30,
    writes: (academy) => [
      editLesson(lesson(academy, 'Printing one picture').id, {
        title: 'Printing your best picture',
        is_published: true,
      }),
    ],
    reads: () => [productNamed('Photography'), '/api/v1/courses/5/lessons'],
    oracle: async ({ call }) => {
      await call('get_course_structure', { course_id: 5 });
      await call('update_lesson', { lesson_id: 1095, title, is_published: true });
      return 'Done.';
    },
    saboteurs: {
      state: {
        'renames it alone': does(['update_lesson', { lesson_id: 1095, title }]),
        'publishes the other hidden lessons too': also('update_lesson', { lesson_id: 1080, is_published: true }),
        'publishes another one': does(['update_lesson', { lesson_id: 1077, title, is_published: true }]),
        'overwrites the text': also('update_lesson', { lesson_id: 1095, content: 'Choose paper and print.' }),
      },
    },
  },
  'reorder-module': {
    instruction:
      'Please turn the order of the module "When it fails" in "Bread at Home" around: "It sticks to everything" comes first, "Too sour" second, "Too dense" last.',
    requests: 40,
    writes: (academy) =>
      ['It sticks to everything', 'Too sour', 'Too dense'].map((title, sequence) =>
        editLesson(lesson(academy, title).id, { sequence }),
      ),
    reads: () => breadAtHome,
    oracle: moved([1177, 1176, 1175].map((lesson_id, index) => ({ lesson_id, module_id: 239, position: index + 1 }))),
    saboteurs: {
      state: {
        'claims it': claimed,
        'moves the last to the front alone': does(['update_lesson', { lesson_id: 1177, sequence: 0 }]),
        'takes one out of its module': also('update_lesson', { lesson_id: 1175, module_id: null }),
      },
    },
  },
};
